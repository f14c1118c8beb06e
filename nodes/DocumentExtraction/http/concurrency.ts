export type Settled<R> = { value: R; error?: undefined } | { error: Error };

/** What comes of some work, its failure included. */
export async function settled<R>(work: Promise<R>): Promise<Settled<R>> {
	return await work.then(
		(value) => ({ value }),
		(error: Error) => ({ error }),
	);
}

/**
 * Does the work for each entry, at most `lanes` at a time, and gives the outcomes in the order of
 * the entries. How many requests are really in flight is up to the limiter; lanes only bound what
 * is begun. With `stopAtFailure` nothing is begun after the first failure: the rest is undefined.
 */
export async function settleInOrder<T, R>(
	entries: T[],
	lanes: number,
	stopAtFailure: boolean,
	work: (entry: T, index: number) => Promise<R>,
): Promise<Array<Settled<R> | undefined>> {
	const outcomes = new Array<Settled<R> | undefined>(entries.length);
	let next = 0;
	let failed = false;
	const lane = async () => {
		while (next < entries.length && !(failed && stopAtFailure)) {
			const index = next++;
			const outcome = await settled(work(entries[index], index));
			outcomes[index] = outcome;
			failed ||= outcome.error !== undefined;
		}
	};
	await Promise.all(Array.from({ length: Math.min(lanes, entries.length) }, lane));
	return outcomes;
}

/**
 * Does the work for each entry, at most `lanes` at a time, and gives the results in their order.
 * @throws the first failure, after which nothing more is begun
 */
export async function mapInOrder<T, R>(
	entries: T[],
	lanes: number,
	work: (entry: T, index: number) => Promise<R>,
): Promise<R[]> {
	const outcomes = await settleInOrder(entries, lanes, true, work);
	return outcomes.flatMap((outcome) => {
		if (outcome?.error) throw outcome.error;
		return outcome ? [outcome.value] : [];
	});
}
