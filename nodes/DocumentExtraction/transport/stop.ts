import { sleep } from 'n8n-workflow';

import { isExecution, type Context } from './connection';

/** Older hosts' `sleep` knows no signal, so a wait is cut into slices of this length, in ms. */
const SLICE_MS = 250;

/** The signal that n8n raises when the user presses Stop; undefined in dropdowns. */
export function stopSignal(context: Context): AbortSignal | undefined {
	return isExecution(context) ? context.getExecutionCancelSignal() : undefined;
}

/**
 * Waits the given time in ms.
 * @throws the signal's reason as soon as the user presses Stop
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	const end = Date.now() + ms;
	signal?.throwIfAborted();
	for (let left = ms; left > 0; left = end - Date.now()) {
		await sleep(Math.min(left, SLICE_MS), signal);
		signal?.throwIfAborted();
	}
}
