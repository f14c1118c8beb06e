/**
 * Resolves when this process is told to end, however often: by a signal, or by its parent's end.
 * @param withParent where standard input is a pipe that closes when the parent is gone
 */
export const toldToEnd = async ({ withParent }: { withParent: boolean }) =>
	await new Promise<void>((end) => {
		process.on('SIGINT', () => end()).on('SIGTERM', () => end());
		if (withParent) process.stdin.on('close', end).resume();
	});
