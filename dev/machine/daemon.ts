import { startProgram } from './program.ts';

/** What a command begins with, so that it runs as another user; only root can. */
export const asUser = (user?: string) =>
	user ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--'] : [];

interface DaemonOptions {
	command: string[];
	/** Another user to run as. */
	user?: string;
	cwd: string;
	logFile: string;
	/** Ends it at once, whatever becomes of its data: nobody needs them afterwards. */
	stopSignal: NodeJS.Signals;
	isReady: () => Promise<boolean>;
}

/** Starts a program and waits until it is ready; the kernel ends it with the calling process. */
export async function startDaemon({ command, user, stopSignal, ...options }: DaemonOptions) {
	const withParent = `--pdeathsig=${stopSignal.replace(/^SIG/, '')}`;
	const launch = async () =>
		await startProgram({
			command: [...asUser(user), 'setpriv', withParent, '--', ...command],
			...options,
		});
	let program = await launch();
	return {
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
