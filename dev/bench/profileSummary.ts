/** A profile as V8 records it: samples of what ran, and the microseconds between them. */
export interface CpuProfile {
	nodes: Array<{
		id: number;
		callFrame: { functionName: string; url: string };
		children?: number[];
	}>;
	samples: number[];
	timeDeltas: number[];
}

const thisNode = /n8n-nodes-document-extraction\/dist/;

/** The first one that a stack has a frame of: what n8n does on the node's behalf counts for n8n. */
const places: Array<[string, RegExp]> = [
	['waiting', /^\(idle\)/],
	['garbage collection', /^\(garbage collector\)/],
	["n8n's credential", /credentials-helper|encryption\/|_getCredentials/],
	["n8n's HTTP client", /axios|backend-network|follow-redirects|proxy-from-env/],
	['files', /blob-storage|binary-data|node:internal\/fs/],
	['sockets and streams', /node:(_http|http|net|internal\/stream)/],
	["n8n's database", /typeorm|sqlite/],
	['this node', thisNode],
];

/**
 * Where the time went between the node's first and last appearance in a profile, as shares of it.
 * @returns undefined where the node does not appear
 */
export function summaryOf({ nodes, samples, timeDeltas }: CpuProfile): string | undefined {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
	const stacks = new Map(
		nodes.map(({ id }) => {
			const frames: string[] = [];
			for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
				const frame = byId.get(at)?.callFrame;
				frames.push(`${frame?.functionName} ${frame?.url}`);
			}
			return [id, frames.join('\n')];
		}),
	);
	const stackAt = (index: number) => stacks.get(samples[index]) ?? '';
	const seen = samples.flatMap((_, index) => (thisNode.test(stackAt(index)) ? [index] : []));
	if (seen.length === 0) return undefined;

	const spent = new Map<string, number>();
	let total = 0;
	for (let index = seen[0]; index <= seen[seen.length - 1]; index++) {
		const stack = stackAt(index);
		const place = places.find(([, pattern]) => pattern.test(stack))?.[0] ?? 'the rest of n8n';
		spent.set(place, (spent.get(place) ?? 0) + timeDeltas[index]);
		total += timeDeltas[index];
	}
	const shares = [...spent]
		.sort(([, one], [, other]) => other - one)
		.map(([place, time]) => `${place} ${Math.round((100 * time) / total)} %`);
	return `of ${Math.round(total / 1000)} ms: ${shares.join(', ')}`;
}
