import lockfile from 'proper-lockfile';

/** A killed process stops renewing its lock; after this time another one takes over. */
const staleMs = 20_000;
const patience = { retries: 900, minTimeout: 2_000, maxTimeout: 2_000 };

/** Runs the work while no other process of this machine runs work under the same lock. */
export async function withLock<T>(
	lockPath: string,
	onWait: () => void,
	work: () => Promise<T>,
): Promise<T> {
	const lock = (retries?: typeof patience) =>
		lockfile.lock(lockPath, { stale: staleMs, lockfilePath: lockPath, realpath: false, retries });
	const unlock = await lock().catch(async (error: NodeJS.ErrnoException) => {
		if (error.code !== 'ELOCKED') throw error;
		onWait();
		return await lock(patience);
	});
	try {
		return await work();
	} finally {
		await unlock();
	}
}
