import type { FaultRule } from '../service/faults.ts';
import type { Operation } from '../service/operations.ts';

/** A list that comes in place of the service's own, under a workflow ID of its own. */
function listOf(workflowId: string, operation: Operation, list: string): FaultRule {
	return {
		match: { operation, path: `/workflows/${workflowId}/` },
		fault: { type: 'status', status: 200, body: list },
	};
}

const SIZE = 50;
const rows = (describe: (number: number) => object) =>
	Array.from({ length: SIZE }, (_, n) => describe(n));

/** Document lists that `page`, which the interface does not show, does not lead through, and what comes for every page. */
export const unreadableLists = [
	{
		workflowId: 'page-ignored',
		total: 2 * SIZE,
		items: rows((number) => ({ document_id: `D-${number}`, extraction_status: 'done' })),
	},
	{
		workflowId: 'page-ignored-by-rows-alike',
		total: 2 * SIZE + 1,
		items: rows(() => ({ extraction_status: 'done' })),
	},
];
/** First pages that say in their own way that there is more. */
export const listsInAnotherShape = [
	{
		workflowId: 'documents-of-pages',
		body: {
			workflow: { extraction_status: 'idle' },
			documents: unreadableLists[0].items,
			total: 2 * SIZE,
			pages: 2,
		},
	},
	{
		workflowId: 'items-and-more',
		body: { items: unreadableLists[0].items, total_count: 2 * SIZE, has_more: true },
	},
];
export const ODD_RESULTS = 'one-result-without-values';

/**
 * Lists as they may come from other services than the simulated ones.
 * @param results some of a workflow; the first holds a text in place of its values
 */
export function oddLists(results: string[], valuesField: string): FaultRule[] {
	const holder = valuesField.split('.').at(-1);
	const [first, ...others] = results;
	const odd = JSON.stringify(JSON.parse(first), (name, value: unknown) =>
		name === holder ? 'unreadable' : value,
	);
	const page = (list: string[]) => `{"total":${list.length},"items":[${list.join()}]}`;
	return [
		...unreadableLists.map(({ workflowId, ...list }) =>
			listOf(workflowId, 'getDocuments', JSON.stringify(list)),
		),
		...listsInAnotherShape.map(({ workflowId, body }) =>
			listOf(workflowId, 'getDocuments', JSON.stringify(body)),
		),
		listOf(ODD_RESULTS, 'getExtractions', page([odd, ...others])),
	];
}
