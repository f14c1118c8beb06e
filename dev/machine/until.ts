import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 50;
const defaultTimeoutMs = 60_000;

/** Waits until something holds. */
export async function until(holds: () => Promise<boolean>, timeoutMs = defaultTimeoutMs) {
	const giveUpAt = Date.now() + timeoutMs;
	while (!(await holds())) {
		if (Date.now() > giveUpAt) throw new Error(`It did not come true in ${timeoutMs} ms: ${holds}`);
		await sleep(pollMs);
	}
}
