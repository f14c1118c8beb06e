import { AsyncLocalStorage } from 'node:async_hooks';
import type { LoggedRequest, RequestLog } from '../service/requestLog.ts';

interface Line {
	request: LoggedRequest;
	operation: number | undefined;
	/** In ms of virtual time. */
	at: number;
}

const seconds = (ms: number) => (ms / 1000).toFixed(3).padStart(9);

/**
 * Notes every request with the operation that made it. It costs time, so only who wants it pays.
 * @returns `operation` runs the work of one
 */
export function traceOf(log: RequestLog, isTraced: boolean) {
	if (!isTraced) {
		const operation = async (_number: number, work: () => Promise<void>) => await work();
		return { operation, lines: () => [], stop: () => {} };
	}
	const current = new AsyncLocalStorage<number>();
	const lines: Line[] = [];
	const realAdd = log.add;
	log.add = (request) => {
		lines.push({ request, operation: current.getStore(), at: performance.now() });
		realAdd.call(log, request);
	};
	return {
		operation: async (number: number, work: () => Promise<void>) => await current.run(number, work),
		lines: () =>
			lines.map(
				({ request: { method, path, faults, status }, operation, at }) =>
					`${seconds(at)} s · operation ${operation ?? 'none'} · ${method} ${path} · ${status ?? 'no answer'}${faults.length > 0 ? ` · ${faults.join(', ')}` : ''}`,
			),
		stop: () => {
			log.add = realAdd;
			current.disable();
		},
	};
}
