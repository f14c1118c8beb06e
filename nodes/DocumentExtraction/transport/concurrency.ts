export type Settled<R> = { value: R; error?: undefined } | { error: Error };

/**
 * Does the work for each entry, at most `lanes` at a time, and gives the outcomes in the order of
 * the entries. How many requests are really in flight is the pace's business; lanes only bound what
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
			try {
				outcomes[index] = { value: await work(entries[index], index) };
			} catch (error) {
				failed = true;
				outcomes[index] = { error: error as Error };
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(lanes, entries.length) }, lane));
	return outcomes;
}

/** As `settleInOrder`, for work of which nothing is worth keeping once a part has failed. */
export async function allInOrder<T, R>(
	entries: T[],
	lanes: number,
	work: (entry: T, index: number) => Promise<R>,
): Promise<R[]> {
	const outcomes = await settleInOrder(entries, lanes, true, work);
	return outcomes.map((outcome) => {
		if (outcome === undefined || outcome.error) throw firstError(outcomes);
		return outcome.value;
	});
}

function firstError(outcomes: Array<Settled<unknown> | undefined>): Error | undefined {
	return outcomes.find((outcome) => outcome?.error)?.error;
}
