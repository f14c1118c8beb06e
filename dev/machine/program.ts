import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { until } from './until.ts';

interface ProgramOptions {
	command: string[];
	cwd: string;
	/** Left out: this process's own. */
	env?: Record<string, string>;
	logFile: string;
	isReady: () => Promise<boolean>;
}

// n8n needs five times as long where the machine has much else to do.
const readyTimeoutMs = 600_000;
const readyEveryMs = 200;
const logTailLength = 4_000;

/** Reaches the process and all that it started; nothing happens where none is left. */
function signalGroup(pid: number, signal: NodeJS.Signals) {
	try {
		process.kill(-pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/**
 * Starts a program in a process group of its own, and waits until it works.
 * @throws its last words where it ends before, or takes too long
 */
export async function startProgram({ command, cwd, env, logFile, isReady }: ProgramOptions) {
	const [file, ...args] = command;
	const log = await open(logFile, 'a');
	const child = spawn(file, args, {
		cwd,
		env,
		detached: true,
		stdio: ['pipe', log.fd, log.fd],
	});
	await once(child, 'spawn');
	await log.close();
	const pid = child.pid as number;
	let lastWords: string | undefined;
	const endOfLog = async () =>
		(await readFile(logFile, 'utf8').catch(() => '')).slice(-logTailLength);
	const ended = once(child, 'exit').then(async ([code, signal]) => {
		// Whatever it has started goes with it.
		signalGroup(pid, 'SIGKILL');
		lastWords = `${await endOfLog()}\n${file} ended (${signal ?? code}).`;
		return lastWords;
	});
	const look = async () => {
		if (lastWords !== undefined) throw new Error(`It ended at once:\n${lastWords}`);
		return await isReady();
	};
	try {
		await until(look, { timeoutMs: readyTimeoutMs, everyMs: readyEveryMs });
	} catch (error) {
		signalGroup(pid, 'SIGKILL');
		if (lastWords !== undefined) throw error;
		throw new Error(`${file} was not ready in time:\n${await endOfLog()}`, { cause: error });
	}
	return {
		pid,
		logFile,
		/** Resolves with the end of the log when the process ends, whoever ended it. */
		ended,
		/** Waits for its end. Long after that the number of a process may be another one's. */
		end: async (signal: NodeJS.Signals) => {
			if (child.exitCode === null && child.signalCode === null) child.kill(signal);
			return await ended;
		},
	};
}
