const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once a signal is raised. Hundreds of requests wait for the same Stop, and Node.js warns of
 * a leak from the eleventh listener on: here they share one.
 * @returns ends it
 */
export function whenRaised(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return () => {};
	const shared = callbacks.get(signal) ?? listenOnce(signal);
	// A callback may be given twice, and each of them ends by itself.
	const own = () => callback();
	shared.add(own);
	return () => void shared.delete(own);
}

function listenOnce(signal: AbortSignal): Set<() => void> {
	const shared = new Set<() => void>();
	callbacks.set(signal, shared);
	signal.addEventListener('abort', () => [...shared].forEach((callback) => callback()), {
		once: true,
	});
	return shared;
}
