import { startProgram } from './program.ts';

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

/** Starts a program and waits until it is ready; the kernel ends it with the calling process. */
export async function startDaemon({ command, user, stopSignal, ...options }: DaemonOptions) {
	const asUser = user ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : [];
	const withParent = `--pdeathsig=${stopSignal.replace(/^SIG/, '')}`;
	const launch = async () =>
		await startProgram({
			command: ['setpriv', ...asUser, withParent, '--', ...command],
			...options,
		});
	let program = await launch();
	return {
		/** Of the process that runs now. */
		get pid() {
			return program.pid;
		},
		logFile: options.logFile,
		stop: async () => {
			await program.end(stopSignal);
		},
		/** Ends it by this signal and starts it again, with the data that it finds. */
		restart: async (signal: NodeJS.Signals) => {
			await program.end(signal);
			program = await launch();
		},
	};
}
