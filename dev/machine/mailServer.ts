import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { until } from './until.ts';

const login = { user: 'documents@example.com', password: 'any' };

/** An SMTP server on this machine that keeps what it receives, from whomever. */
export async function startMailServer() {
	const received: Email[] = [];
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		allowInsecureAuth: true,
		onAuth: ({ username }, _session, answer) => answer(null, { user: username }),
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
		/** As n8n's SMTP credential names them. */
		credential: { ...login, host: '127.0.0.1', port, secure: false, disableStartTls: true },
		received,
		/** Waits for it. */
		firstMail: async () => await until(() => Promise.resolve(received[0])),
		stop: async () => await new Promise<void>((resolve) => server.close(resolve)),
	};
}
