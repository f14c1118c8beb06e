import { RateLimiter, type RateSigns } from '../../nodes/DocumentExtraction/http/limiter';

interface OpenRequest {
	name: string;
	answer: (signs: RateSigns) => void;
	fail: (error: Error) => void;
}

type Caller = Partial<Parameters<RateLimiter['run']>[0]>;

/** The execution of requests that name no other. */
export const EXECUTION = {};

/** Lets everything go on that waits for no time. */
export const settled = async () => {
	for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};

/** Requests by name that pass a limiter and stay in flight until the test answers them. */
export function requestsOf(limiter = new RateLimiter()) {
	const open: OpenRequest[] = [];
	const failed: string[] = [];
	const failures: unknown[] = [];
	const begin = async (name: string, caller: Caller = {}) => {
		void limiter
			.run({ owner: EXECUTION, maxConcurrency: 16, isRepeat: false, ...caller }, async () => {
				const signs = await new Promise<RateSigns>((answer, fail) =>
					open.push({ name, answer, fail }),
				);
				return { result: undefined, signs };
			})
			.catch((error: unknown) => {
				failed.push(name);
				failures.push(error);
			});
		await settled();
	};
	return {
		open,
		/** Names and errors of those that have failed. */
		failed,
		failures,
		/** All that can leave has left when it resolves. */
		begin,
		names: () => open.map(({ name }) => name),
		beginMany: async (count: number, caller: Caller = {}) => {
			const all = Array.from({ length: count }, (_, number) => String(number));
			await Promise.all(all.map(async (name) => await begin(name, caller)));
		},
		/** Answers all that are in flight, and lets the next ones leave. */
		answer: async (signs: RateSigns = { isSuccess: true }) => {
			for (const request of open.splice(0)) request.answer(signs);
			await settled();
		},
		answerOne: async (name: string, signs: RateSigns) => {
			const index = open.findIndex((request) => request.name === name);
			open.splice(index, 1)[0].answer(signs);
			await settled();
		},
	};
}

/** Requests of a limiter, of which the first one was refused. */
export async function held(retryAfterMs: number, limiter?: RateLimiter) {
	const requests = requestsOf(limiter);
	await requests.beginMany(1);
	await requests.answer({ refused: true, retryAfterMs });
	return requests;
}
