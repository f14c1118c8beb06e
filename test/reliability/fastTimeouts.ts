import { createRequire } from 'node:module';

interface HttpClient {
	defaults: { timeout?: number };
}

/** The client behind n8n's requests, which n8n gives a time limit of its own. */
function httpClient(): HttpClient {
	const ofTests = createRequire(__filename);
	const ofCore = createRequire(ofTests.resolve('n8n-core'));
	return createRequire(ofCore.resolve('@n8n/backend-network'))('axios') as HttpClient;
}

/**
 * Lets the time limits of requests pass more quickly: the node's, and n8n's own.
 * @param pass called when a time limit of the node ends, with the ms by which it was shortened
 */
export function startFastTimeouts(speed: number, pass?: (ms: number) => void): { stop(): void } {
	const { timeout } = AbortSignal;
	const { defaults } = httpClient();
	const realDefault = defaults.timeout;
	AbortSignal.timeout = (ms) => {
		const realMs = Math.ceil(ms / speed);
		const signal = timeout.call(AbortSignal, realMs);
		const end = Date.now() + ms;
		// What others have waited meanwhile has passed already.
		const passRest = () => pass?.(Math.max(0, end - Date.now()));
		signal.addEventListener('abort', passRest, { once: true });
		return signal;
	};
	defaults.timeout = (realDefault ?? 0) / speed;
	return {
		stop: () => {
			AbortSignal.timeout = timeout;
			defaults.timeout = realDefault;
		},
	};
}
