import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../machine/until.ts';
import { endWithParent } from './endWithParent.ts';
import type { InstalledN8n } from './install.ts';
import { releases } from './versions.ts';

interface N8nProcess {
	pid: number;
	logFile: string;
	/** Resolves with the end of the log when the process ends, whoever ended it. */
	ended: Promise<string>;
	stop(): Promise<void>;
}

interface ProcessOptions {
	/** Arguments of the n8n command, e.g. `['start']` or `['worker', '--concurrency=5']`. */
	args: string[];
	userFolder: string;
	logFile: string;
	env: Record<string, string>;
}

const readyTimeoutMs = 120_000;
const readyEveryMs = 200;
const gracefulStopMs = 10_000;
const logTailLength = 4_000;

const quiet = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
};

/** The shell's own n8n and proxy settings must not reach it, nor may it write to the home folder. */
function environment(installed: InstalledN8n, { userFolder, env }: ProcessOptions) {
	const { PATH = '', LANG = 'C.UTF-8', TMPDIR = '/tmp' } = process.env;
	return {
		...{ PATH, LANG, TMPDIR },
		...installed.runtime.env,
		...quiet,
		...releases[installed.version].env,
		HOME: userFolder,
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		...env,
	};
}

/** Reaches the process and all that it started; nothing happens where none is left. */
export function signalGroup(pid: number, signal: NodeJS.Signals) {
	try {
		process.kill(-pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

async function stopGroup(child: ChildProcess, pid: number, ended: Promise<unknown>) {
	// Long after its end the number of a process may be another one's.
	if (child.exitCode !== null || child.signalCode !== null) return;
	signalGroup(pid, 'SIGTERM');
	await Promise.race([ended, sleep(gracefulStopMs, undefined, { ref: false })]);
	signalGroup(pid, 'SIGKILL');
	await ended;
	child.stdin?.destroy();
}

/** Starts an n8n command in a process group of its own; it ends with the calling process. */
export async function startN8nProcess(
	installed: InstalledN8n,
	options: ProcessOptions,
): Promise<N8nProcess> {
	const { logFile, userFolder, args } = options;
	const log = await open(logFile, 'a');
	const child = spawn(installed.runtime.binary, [installed.cli, ...args], {
		...endWithParent,
		cwd: userFolder,
		env: {
			...environment(installed, options),
			...endWithParent.env,
		},
		stdio: ['pipe', log.fd, log.fd],
	});
	await once(child, 'spawn');
	await log.close();
	const pid = child.pid as number;
	const ended = once(child, 'exit').then(async ([code, signal]) => {
		// Whatever it has started goes with it.
		signalGroup(pid, 'SIGKILL');
		const text = await readFile(logFile, 'utf8').catch(() => '');
		return `${text.slice(-logTailLength)}\nn8n ended (${signal ?? code}).`;
	});
	return { pid, logFile, ended, stop: async () => await stopGroup(child, pid, ended) };
}

/**
 * Waits until a process works.
 * @throws its last words where it ends before, or takes too long
 */
export async function untilReady(
	{ ended, logFile }: N8nProcess,
	isReady: () => Promise<boolean>,
): Promise<void> {
	let lastWords: string | undefined;
	void ended.then((text) => (lastWords = text));
	const look = async () => {
		if (lastWords !== undefined) throw new Error(`n8n ended at once:\n${lastWords}`);
		return await isReady();
	};
	await until(look, {
		timeoutMs: readyTimeoutMs,
		everyMs: readyEveryMs,
		message: `n8n was not ready in time; see ${logFile}`,
	});
}
