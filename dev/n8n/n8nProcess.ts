import { startProgram } from '../machine/program.ts';
import { endWithParent } from './endWithParent.ts';
import type { InstalledN8n } from './install.ts';
import { releases } from './versions.ts';

interface ProcessOptions {
	/** Arguments of the n8n command, e.g. `['start']` or `['worker', '--concurrency=5']`. */
	args: string[];
	userFolder: string;
	/** A folder whose programs it finds before all others. */
	programs?: string;
	logFile: string;
	env: Record<string, string>;
	isReady: () => Promise<boolean>;
}

const gracefulStopMs = 10_000;

const quiet = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
};

/** The shell's own n8n and proxy settings must not reach it, nor may it write to the home folder. */
function environment(installed: InstalledN8n, { userFolder, programs, env }: ProcessOptions) {
	const { LANG = 'C.UTF-8', TMPDIR = '/tmp' } = process.env;
	const { PATH = '' } = { ...process.env, ...installed.runtime.env };
	return {
		...{ LANG, TMPDIR },
		...installed.runtime.env,
		PATH: programs ? `${programs}:${PATH}` : PATH,
		...quiet,
		...releases[installed.version].env,
		HOME: userFolder,
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		...env,
		...endWithParent.env,
	};
}

/** Starts an n8n command and waits until it works; it ends with the calling process. */
export async function startN8nProcess(installed: InstalledN8n, options: ProcessOptions) {
	const { args, userFolder, logFile, isReady } = options;
	const program = await startProgram({
		command: [installed.runtime.binary, installed.cli, ...args],
		cwd: userFolder,
		env: environment(installed, options),
		logFile,
		isReady,
	});
	const stop = async () => {
		const patience = setTimeout(() => void program.end('SIGKILL'), gracefulStopMs);
		await program.end('SIGTERM');
		clearTimeout(patience);
	};
	return { ...program, stop };
}
