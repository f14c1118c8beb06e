import { Randomness } from '../../dev/simulate/randomness';
import { sleepModule } from './sleepModule';

interface Timer {
	at: number;
	wake: () => void;
}

/**
 * Time that passes only when nothing else is left to do: what waits for seconds is tested in
 * milliseconds, and no other load on the machine changes the outcome. Nor does chance, which is the
 * same in each run.
 */
export class VirtualClock {
	private now = Date.UTC(2025, 0, 1, 12);

	/** Those that have not gone off yet. */
	readonly timers: Timer[] = [];

	private readonly module = sleepModule();

	private readonly realSleep = this.module.sleep;

	private readonly realNow = Date.now;

	private readonly realRunningTime = performance.now;

	private readonly realRandom = Math.random;

	constructor() {
		const start = this.now - performance.now();
		const chance = new Randomness(1);
		this.module.sleep = this.sleep;
		Date.now = () => Math.floor(this.now);
		performance.now = () => this.now - start;
		Math.random = () => chance.next();
	}

	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		signal?.throwIfAborted();
		await new Promise<void>((wake, fail) => {
			this.timers.push({ at: this.now + Math.max(0, ms), wake });
			signal?.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
		});
	};

	/** Lets time pass until the work is done. */
	async run(work: Promise<unknown>): Promise<void> {
		let isDone = false;
		const end = () => (isDone = true);
		void work.then(end, end);
		for (;;) {
			for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
			if (isDone) break;
			this.timers.sort((one, other) => one.at - other.at);
			const next = this.timers.shift();
			if (!next) throw new Error('Everybody waits for ever');
			this.now = Math.max(this.now, next.at);
			next.wake();
		}
		await work;
	}

	/** Lets this time pass, in ms. */
	async pass(ms: number): Promise<void> {
		await this.run(this.sleep(ms));
	}

	stop() {
		this.module.sleep = this.realSleep;
		Date.now = this.realNow;
		performance.now = this.realRunningTime;
		Math.random = this.realRandom;
	}
}
