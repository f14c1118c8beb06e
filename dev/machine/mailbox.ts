import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import getPort from 'get-port';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import type Mail from 'nodemailer/lib/mailer/index.js';
import { startDaemon } from './daemon.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { until } from './until.ts';

const isRoot = process.getuid?.() === 0;
/** Mail is never delivered as root; the package brings this user. */
const user = isRoot ? 'dovecot' : userInfo().username;
const login = { user: 'invoices@example.com', password: 'Mailbox-1' };

/** A mailbox at a real IMAP server: Dovecot, as Debian packs it, with a folder and a port of its own. */
export async function startMailbox() {
	const folder = await temporaryFolder('examples-mailbox');
	const port = await getPort();
	const configFile = join(folder, 'dovecot.conf');
	const values: Record<string, unknown> = { folder, port, user, password: login.password };
	const template = await readFile(new URL('dovecot.conf', import.meta.url), 'utf8');
	await writeFile(
		configFile,
		template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name])),
	);
	for (const name of ['', 'cur', 'new', 'tmp']) await mkdir(join(folder, 'mail', name));
	if (isRoot) await execa('chown', ['-R', `${user}:${user}`, folder]);

	const isReady = async () =>
		!(await execa('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`], { reject: false })).failed;
	const daemon = await startDaemon({
		command: ['dovecot', '-F', '-c', configFile],
		user: isRoot ? user : undefined,
		cwd: folder,
		logFile: join(folder, 'start.log'),
		stopSignal: 'SIGTERM',
		isReady,
	});
	let delivered = 0;
	return {
		/** As n8n's IMAP credential names them. */
		credential: { host: '127.0.0.1', port, ...login, secure: false },
		/** Waits until a client has opened the mailbox: n8n is told only of what arrives after that. */
		untilOpened: async () => {
			// Dovecot numbers the mails when a client opens the mailbox.
			await until(async () => (await readdir(join(folder, 'mail'))).includes('dovecot-uidlist'), {
				message: 'Nobody opens the mailbox.',
			});
		},
		deliver: async (mail: Mail.Options) => {
			const name = `${Date.now()}.${delivered++}.examples`;
			const temporary = join(folder, 'mail', 'tmp', name);
			await writeFile(
				temporary,
				await new MailComposer({ to: login.user, ...mail }).compile().build(),
			);
			await chmod(temporary, 0o644);
			if (isRoot) await execa('chown', [`${user}:${user}`, temporary]);
			await rename(temporary, join(folder, 'mail', 'new', name));
		},
		stop: daemon.stop,
	};
}
