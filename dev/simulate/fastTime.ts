import { createRequire } from 'node:module';
import { sleepModule } from '../../test/support/sleepModule.ts';

/** The client behind n8n's requests, which n8n gives a time limit of its own. */
function httpClient() {
	const ofCore = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
	const ofNetwork = createRequire(ofCore.resolve('@n8n/backend-network'));
	return ofNetwork('axios') as { defaults: { timeout?: number } };
}

/**
 * From now on the node's waits pass quickly: n8n's `sleep`, the only way in which a node can wait. The
 * clock by which the node measures is put on by what a wait was shortened. Who waits, in which order and
 * for how long in relation to the others, stays as it is; and what is no wait takes its real time,
 * however busy the machine is.
 */
export function speedUpWaits(speed: number) {
	const module = sleepModule();
	const { sleep } = module;
	const realNow = Date.now;
	const realRunningTime = performance.now.bind(performance);
	let skipped = 0;
	module.sleep = async (ms, signal) => {
		const end = Date.now() + ms;
		await sleep(ms / speed, signal);
		skipped += Math.max(0, end - Date.now());
	};
	Date.now = () => realNow() + skipped;
	performance.now = () => realRunningTime() + skipped;
}

/** From now on the time limits of requests, the node's and n8n's own, pass more quickly than the clock. */
export function speedUpTimeLimits(speed: number) {
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	AbortSignal.timeout = (ms) => timeout(Math.ceil(ms / speed));
	const { defaults } = httpClient();
	defaults.timeout = (defaults.timeout ?? 0) / speed;
}
