import { sleepModule } from './sleepModule';

interface Timer {
	at: number;
	wake: () => void;
}

/**
 * Time that passes only when nothing else is left to do: what waits for seconds is tested in
 * milliseconds, and no other load on the machine changes the outcome.
 */
export class VirtualClock {
	private now = Date.now();

	private timers: Timer[] = [];

	private readonly module = sleepModule();

	private readonly realSleep = this.module.sleep;

	private readonly realNow = Date.now;

	/** @param msPerReading how much time passes, besides, between two looks at the clock, as it really does */
	constructor(msPerReading = 0) {
		this.module.sleep = this.sleep;
		Date.now = () => Math.floor((this.now += msPerReading));
	}

	readonly sleep = async (ms: number): Promise<void> =>
		await new Promise((wake) => this.timers.push({ at: this.now + Math.max(0, ms), wake }));

	/** Lets time pass until the work is done. */
	async run(work: Promise<unknown>): Promise<void> {
		let isDone = false;
		void work.finally(() => (isDone = true));
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

	stop() {
		this.module.sleep = this.realSleep;
		Date.now = this.realNow;
	}
}
