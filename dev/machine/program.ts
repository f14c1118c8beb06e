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

// Beside chaos and queue mode on two cores, n8n took up to 166 s.
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
	let hasEnded = false;
	const ended = once(child, 'exit').then(async ([code, signal]) => {
		// Whatever it has started goes with it.
		signalGroup(pid, 'SIGKILL');
		hasEnded = true;
		const text = await readFile(logFile, 'utf8').catch(() => '');
		return `${text.slice(-logTailLength)}\n${file} ended (${signal ?? code}).`;
	});
	const look = async () => {
		if (hasEnded) throw new Error('It ended at once.');
		return await isReady();
	};
	try {
		const message = 'It took too long.';
		await until(look, { timeoutMs: readyTimeoutMs, everyMs: readyEveryMs, message });
	} catch (error) {
		signalGroup(pid, 'SIGKILL');
		throw new Error(`${file} did not get ready:\n${await ended}`, { cause: error });
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
