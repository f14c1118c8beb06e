import { createRequire } from 'node:module';

export interface SleepModule {
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** The module behind n8n-workflow's `sleep`, which reads it anew for each call. */
export function sleepModule(): SleepModule {
	const ofTests = createRequire(__filename);
	return createRequire(ofTests.resolve('n8n-workflow'))('@n8n/utils/sleep') as SleepModule;
}
