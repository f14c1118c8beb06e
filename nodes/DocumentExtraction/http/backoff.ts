/** How long to pause after a failure or a refusal before the next try. */

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** Processes that were given the same Retry-After must not all come back at the same moment. */
const JITTER_MS = 100;
/** Whoever is refused for longer, or told to wait for longer, fails. In ms. */
export const LONGEST_RETRY_AFTER_MS = 300_000;

/**
 * At least Retry-After; whoever fails even after that backs off further, exponentially and with full
 * jitter, so that processes spread out. In ms.
 * @param retryAfterMs 0 if the service asked for nothing
 * @param failures in a row, from 1
 */
export function pauseMs(retryAfterMs: number, failures: number): number {
	const askedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
	const jitterMs = askedMs > 0 ? Math.random() * JITTER_MS : 0;
	const backoffMs = Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
	return Math.max(askedMs + jitterMs, backoffMs);
}
