import { sleep } from 'n8n-workflow';

import { whenRaised } from './stop';

/** Older hosts' `sleep` knows no signal, so a wait is cut into slices of this length, in ms. */
const SLICE_MS = 250;

/**
 * Waits the given time in ms.
 * @throws the signal's reason as soon as it is raised
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	signal?.throwIfAborted();
	const wake = new AbortController();
	const end = whenRaised(signal, () => wake.abort());
	const until = performance.now() + ms;
	try {
		for (let left = ms; left > 0; left = until - performance.now()) {
			await sleep(Math.min(left, SLICE_MS), wake.signal).catch((error: unknown) => {
				if (!wake.signal.aborted) throw error;
			});
			signal?.throwIfAborted();
		}
	} finally {
		end();
	}
}
