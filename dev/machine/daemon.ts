import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Daemon {
	pid: number;
	stop(): Promise<void>;
}

interface DaemonOptions {
	command: string[];
	/** Another user to run as; only root can. */
	user?: string;
	cwd: string;
	logFile: string;
	/** Ends it at once, whatever becomes of its data: nobody needs them afterwards. */
	stopSignal: NodeJS.Signals;
	isReady: () => Promise<boolean>;
}

const readyTimeoutMs = 30_000;
const pollMs = 50;

/** Starts a program and waits until it is ready; the kernel ends it with the calling process. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
	const { command, user, cwd, logFile, stopSignal, isReady } = options;
	const asUser = user ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : [];
	const log = await open(logFile, 'a');
	const child = spawn(
		'setpriv',
		[...asUser, `--pdeathsig=${stopSignal.replace(/^SIG/, '')}`, '--', ...command],
		{ cwd, stdio: ['ignore', log.fd, log.fd] },
	);
	await once(child, 'spawn');
	await log.close();
	const ended = once(child, 'exit');

	const giveUpAt = Date.now() + readyTimeoutMs;
	while (!(await isReady())) {
		if (child.exitCode !== null || Date.now() > giveUpAt) {
			child.kill('SIGKILL');
			throw new Error(`${command[0]} is not ready:\n${await readFile(logFile, 'utf8')}`);
		}
		await sleep(pollMs);
	}
	return {
		pid: child.pid as number,
		stop: async () => {
			child.kill(stopSignal);
			await ended;
		},
	};
}
