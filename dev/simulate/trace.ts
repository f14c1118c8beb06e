import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestLog } from '../service/requestLog.ts';

const seconds = (ms: number) => (ms / 1000).toFixed(3).padStart(9);

/**
 * Notes every request with the operation that made it. It costs time, so only who wants it pays.
 * @returns `operation` runs the work of one
 */
export function traceOf(log: RequestLog, isTraced: boolean) {
	const current = new AsyncLocalStorage<number>();
	// Each as a text when all is over: only then it has a status.
	const lines: Array<() => string> = [];
	const { add } = log;
	if (isTraced) {
		log.add = (request) => {
			const about = `${seconds(performance.now())} s · operation ${current.getStore() ?? 'none'}`;
			lines.push(() => {
				const { method, path, faults, status } = request;
				const answer = [status ?? 'no answer', ...(faults.length > 0 ? [faults.join(', ')] : [])];
				return [about, `${method} ${path}`, ...answer].join(' · ');
			});
			add.call(log, request);
		};
	}
	return {
		operation: async (number: number, work: () => Promise<void>) =>
			await (isTraced ? current.run(number, work) : work()),
		lines: () => lines.map((line) => line()),
		stop: () => {
			log.add = add;
			current.disable();
		},
	};
}
