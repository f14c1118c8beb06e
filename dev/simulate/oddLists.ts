import type { FaultRule } from '../service/faults.ts';
import type { Operation } from '../service/operations.ts';
import type { Wrong } from './figures.ts';
import type { Outcome } from './model.ts';

const SIZE = 50;
const documents = Array.from({ length: SIZE }, (_, number) => ({
	document_id: `D-${number}`,
	extraction_status: 'done',
}));

/** What cannot be read page by page must not pass for the whole list. */
const isUnreadable = ({ done }: Outcome): Wrong | undefined =>
	done.length > 0 ? 'doubled' : undefined;

/** The first rows of a longer list, in a form that the node cannot follow, come with a word. */
const isOnlyItsBeginning = ({ done, hints }: Outcome): Wrong | undefined =>
	done.length > 0 && !hints.some((hint) => hint.startsWith('The service seems to have more than'))
		? 'lost'
		: undefined;

/**
 * Document lists of other services than the simulated ones: every page is this one, whatever `page`
 * asks for.
 */
export const oddDocumentLists = [
	{
		workflowId: 'page-ignored',
		list: { total: 2 * SIZE, items: documents },
		wrongOf: isUnreadable,
	},
	{
		workflowId: 'page-ignored-by-rows-alike',
		list: { total: 2 * SIZE + 1, items: documents.map(() => ({ extraction_status: 'done' })) },
		wrongOf: isUnreadable,
	},
	{
		workflowId: 'documents-of-pages',
		list: { workflow: { extraction_status: 'idle' }, documents, total: 2 * SIZE, pages: 2 },
		wrongOf: isOnlyItsBeginning,
	},
	{
		workflowId: 'items-and-more',
		list: { items: documents, total_count: 2 * SIZE, has_more: true },
		wrongOf: isOnlyItsBeginning,
	},
];

export const ODD_RESULTS = 'one-result-without-values';

/**
 * Lists that come in place of the service's own, under workflow IDs of their own.
 * @param results some of a workflow; the first holds a text in place of its values
 */
export function oddLists([first, ...others]: string[], rows: string): FaultRule[] {
	const holder = rows.split(/[: ]/)[0].split('.').at(-1);
	const odd = JSON.stringify(JSON.parse(first), (name, value: unknown) =>
		name === holder ? 'unreadable' : value,
	);
	const results = `{"total":${others.length + 1},"items":[${[odd, ...others].join()}]}`;
	const instead = (workflowId: string, operation: Operation, body: string): FaultRule => ({
		match: { operation, path: `/workflows/${workflowId}/` },
		fault: { type: 'status', status: 200, body },
	});
	return [
		...oddDocumentLists.map(({ workflowId, list }) =>
			instead(workflowId, 'getDocuments', JSON.stringify(list)),
		),
		instead(ODD_RESULTS, 'getExtractions', results),
	];
}
