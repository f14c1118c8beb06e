/** Callers that wait until the limiter lets them leave, and how many requests each owner has in flight. */
import { whenRaised } from './stop';

export interface Caller {
	/** Whom `maxConcurrency` limits: an execution. Callers without one are one owner together. */
	owner?: object;
	/** The most requests of the owner in flight at a time. */
	maxConcurrency: number;
	/** Repeats go first: they have waited before. */
	isRepeat: boolean;
	signal?: AbortSignal;
}

interface Waiter extends Caller {
	start: () => void;
	fail: (reason: Error) => void;
}

export class CallerQueue {
	private waiters: Waiter[] = [];

	private readonly inFlightOf = new Map<object | undefined, number>();

	inFlight = 0;

	get isEmpty(): boolean {
		return this.waiters.length === 0;
	}

	/** Whether nobody waits and nothing is in flight. */
	get isUnused(): boolean {
		return this.isEmpty && this.inFlight === 0;
	}

	/**
	 * Waits until `startFirst` takes this caller.
	 * @throws the signal's reason after Stop, or what `failAll` says
	 */
	async join(caller: Caller): Promise<void> {
		const { isRepeat, signal } = caller;
		let forgetStop = () => {};
		try {
			await new Promise<void>((start, fail) => {
				const waiter = { ...caller, start, fail };
				forgetStop = whenRaised(signal, () => {
					this.waiters = this.waiters.filter((other) => other !== waiter);
					fail(signal?.reason as Error);
				});
				const firstOther = isRepeat ? this.waiters.findIndex((other) => !other.isRepeat) : -1;
				this.waiters.splice(firstOther < 0 ? this.waiters.length : firstOther, 0, waiter);
			});
		} finally {
			forgetStop();
		}
	}

	/**
	 * Lets the first caller leave that may, and whose owner has room for another request; one that
	 * has none holds up nobody behind it.
	 * @returns whether there was one
	 */
	startFirst(may: (caller: Caller) => boolean): boolean {
		const index = this.waiters.findIndex((waiter) => {
			const ofOwner = this.inFlightOf.get(waiter.owner) ?? 0;
			return ofOwner < waiter.maxConcurrency && may(waiter);
		});
		if (index < 0) return false;
		const [{ owner, start }] = this.waiters.splice(index, 1);
		this.count(owner, 1);
		start();
		return true;
	}

	/** A request of this owner is over. */
	leave(owner: object | undefined) {
		this.count(owner, -1);
	}

	failAll(reason: Error) {
		for (const { fail } of this.waiters.splice(0)) fail(reason);
	}

	private count(owner: object | undefined, change: 1 | -1) {
		this.inFlight += change;
		const count = (this.inFlightOf.get(owner) ?? 0) + change;
		if (count > 0) this.inFlightOf.set(owner, count);
		else this.inFlightOf.delete(owner);
	}
}
