import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { until } from './until.ts';

/** An SMTP server on this machine that keeps what it receives. */
export interface MailServer {
	/** As n8n's SMTP credential names them. */
	credential: {
		host: string;
		port: number;
		user: string;
		password: string;
		secure: false;
		disableStartTls: true;
	};
	received: Email[];
	/** Waits for it. */
	firstMail(): Promise<Email>;
	stop(): Promise<void>;
}

const login = { user: 'documents@example.com', password: 'Mail-server-1' };

export async function startMailServer(): Promise<MailServer> {
	const received: Email[] = [];
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		allowInsecureAuth: true,
		onAuth: ({ username, password }, _session, answer) => {
			const isRight = username === login.user && password === login.password;
			answer(isRight ? null : new Error('Wrong user or password'), { user: username });
		},
		onData: (stream, _session, answer) => {
			buffer(stream)
				.then(async (mail) => {
					received.push(await PostalMime.parse(mail));
					answer();
				})
				.catch(answer);
		},
	});
	server.listen(0, '127.0.0.1');
	await once(server.server, 'listening');
	const { port } = server.server.address() as AddressInfo;
	return {
		credential: { host: '127.0.0.1', port, ...login, secure: false, disableStartTls: true },
		received,
		firstMail: async () => await until(() => Promise.resolve(received[0])),
		stop: async () => await new Promise<void>((resolve) => server.close(resolve)),
	};
}
