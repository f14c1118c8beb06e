import { sleep } from 'n8n-workflow';

import { whenRaised } from './stop';

/** An older host's `sleep` knows no signal: what is left of such a slice, in ms, is slept in the background. */
const SLICE_MS = 250;

/**
 * Waits the given time in ms.
 * @throws the signal's reason as soon as it is raised
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	signal?.throwIfAborted();
	const wake = new AbortController();
	let end = () => {};
	const raised = new Promise<void>((resolve) => {
		end = whenRaised(signal, () => {
			wake.abort();
			resolve();
		});
	});
	const longestMs = sleep.length > 1 ? ms : SLICE_MS;
	const until = performance.now() + ms;
	try {
		for (let left = ms; left > 0; left = until - performance.now()) {
			const slept = sleep(Math.min(left, longestMs), wake.signal).catch((error: unknown) => {
				if (!wake.signal.aborted) throw error;
			});
			await Promise.race([slept, raised]);
			signal?.throwIfAborted();
		}
	} finally {
		end();
	}
}
