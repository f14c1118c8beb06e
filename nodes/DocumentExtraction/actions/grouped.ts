import type { Client } from '../api/client';

/**
 * Entries that may share a call, in the order of their first: they go to the same workflow with the
 * same credential, and agree in whatever else the key names.
 */
export function grouped<T>(
	entries: T[],
	keyOf: (entry: T) => [Client, ...others: unknown[]],
): T[][] {
	const groups = new Map<string, T[]>();
	for (const entry of entries) {
		const [{ credential, workflowId }, ...others] = keyOf(entry);
		const key = JSON.stringify([credential, workflowId, ...others]);
		const group = groups.get(key);
		if (group) group.push(entry);
		else groups.set(key, [entry]);
	}
	return [...groups.values()];
}
