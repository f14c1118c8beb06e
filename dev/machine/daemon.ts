import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { until } from './until.ts';

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

async function launch(options: DaemonOptions): Promise<ChildProcess> {
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

	const isEnded = () => child.exitCode !== null;
	await until(async () => isEnded() || (await isReady()), { timeoutMs: readyTimeoutMs }).catch(
		() => undefined,
	);
	if (!isEnded() && (await isReady())) return child;
	child.kill('SIGKILL');
	throw new Error(`${command[0]} is not ready:\n${await readFile(logFile, 'utf8')}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals) {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = once(child, 'exit');
	child.kill(signal);
	await ended;
}

/** Starts a program and waits until it is ready; the kernel ends it with the calling process. */
export async function startDaemon(options: DaemonOptions) {
	let child = await launch(options);
	return {
		/** Of the process that runs now. */
		get pid() {
			return child.pid as number;
		},
		logFile: options.logFile,
		stop: async () => await end(child, options.stopSignal),
		/** Ends it by this signal and starts it again, with the data that it finds. */
		restart: async (signal: NodeJS.Signals) => {
			await end(child, signal);
			child = await launch(options);
		},
	};
}
