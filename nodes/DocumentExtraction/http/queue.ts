/** Callers that wait for their turn: owner by owner, in round robin (fair queueing, RFC 970). */
import { whenRaised } from './stop';

export interface Caller {
	/** An execution. Callers without an owner are one owner together. */
	owner?: object;
	/** The most requests of the owner in flight at a time. */
	maxConcurrency: number;
	/** It was sent before, and has waited before. */
	isRepeat: boolean;
	signal?: AbortSignal;
}

type Waiter = Caller & { start: () => void; fail: (reason: Error) => void };

export interface Owner {
	waiters: Waiter[];
	inFlight: number;
	/** The largest of its callers'. */
	maxConcurrency: number;
	/** In a row, the first of them `refusedSince`. Times are in ms of `performance.now()`. */
	refusals: number;
	refusedSince: number;
	heldUntil: number;
	/** The `Retry-After` that was too long to wait for, in ms. */
	tooLongMs?: number;
}

export class CallerQueue {
	private readonly owners = new WeakMap<object, Owner>();
	/** Owners that wait or have requests in flight; the one whose last turn is longest ago comes first. */
	readonly present = new Set<Owner>();
	inFlight = 0;

	ownerOf(key: object = this): Owner {
		const none = { waiters: [], inFlight: 0, maxConcurrency: 0 };
		const owner = this.owners.get(key) ?? { ...none, refusals: 0, refusedSince: 0, heldUntil: 0 };
		this.owners.set(key, owner);
		return owner;
	}

	get waiting(): Owner[] {
		return [...this.present].filter(({ waiters }) => waiters.length > 0);
	}

	/**
	 * Waits until `startFirst` takes this caller.
	 * @throws the signal's reason after Stop, or what the limiter fails it with
	 */
	async join(owner: Owner, caller: Caller): Promise<void> {
		owner.maxConcurrency = Math.max(owner.maxConcurrency, caller.maxConcurrency);
		this.present.add(owner);
		let forgetStop = () => {};
		try {
			await new Promise<void>((start, fail) => {
				const waiter = { ...caller, start, fail };
				forgetStop = whenRaised(caller.signal, () => {
					owner.waiters = owner.waiters.filter((other) => other !== waiter);
					fail(caller.signal?.reason as Error);
				});
				const first = caller.isRepeat ? owner.waiters.findIndex((other) => !other.isRepeat) : -1;
				owner.waiters.splice(first < 0 ? owner.waiters.length : first, 0, waiter);
			});
		} finally {
			forgetStop();
			this.dismiss(owner);
		}
	}

	/**
	 * Lets a caller leave: of the owner of the lowest rank, and of several the first in the round.
	 * @param rankOf Infinity for an owner that may not send now
	 * @returns whether there was one
	 */
	startFirst(rankOf: (owner: Owner) => number, isProbe: boolean): boolean {
		const { waiting } = this;
		const ranks = waiting.map(rankOf);
		const lowest = Math.min(...ranks);
		const owner = waiting[ranks.indexOf(lowest)];
		const caller = lowest < Infinity && nextCaller(owner, isProbe);
		if (!caller) return false;
		owner.waiters.splice(owner.waiters.indexOf(caller), 1);
		owner.inFlight++;
		this.inFlight++;
		this.present.delete(owner);
		this.present.add(owner);
		caller.start();
		return true;
	}

	leave(owner: Owner) {
		owner.inFlight--;
		this.inFlight--;
		this.dismiss(owner);
	}

	private dismiss(owner: Owner) {
		if (owner.waiters.length === 0 && owner.inFlight === 0) this.present.delete(owner);
	}
}

/** Repeats go first, except for a probe; undefined if Max Concurrency allows no other request. */
export function nextCaller(owner: Owner, isProbe: boolean): Waiter | undefined {
	const hasRoom = ({ maxConcurrency }: Waiter) => owner.inFlight < maxConcurrency;
	if (owner.inFlight >= owner.maxConcurrency) return undefined;
	const fresh = isProbe && owner.waiters.find((one) => !one.isRepeat && hasRoom(one));
	return fresh || owner.waiters.find(hasRoom);
}
