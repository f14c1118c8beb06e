/** The fields of requests (interface.md §4), by the names in the node's panel. */
import { WORKFLOW_ID_LABEL } from '../api/credential';
import type { Reason } from '../api/reason';

const LABELS = new Map<unknown, string>([
	['workflow_id', WORKFLOW_ID_LABEL],
	['document_id', 'Document ID'],
	['document_ids', 'Document IDs'],
	['collection_id', 'Collection'],
	['collection_name', 'Collection'],
	['column_ids', 'Column Names or IDs'],
	['force', 'Force'],
	['label_order', 'Label Order'],
	['page', 'Page'],
	['limit', 'Limit'],
]);

/** The first entry of a `loc`: the part of the request that the field is in. */
const PLACES = new Set<unknown>(['body', 'query', 'path']);

/** `["body", "document_ids", 2]` → `Document IDs, entry 3`. */
export function fieldName(loc: Array<string | number>): string {
	const steps = PLACES.has(loc[0]) ? loc.slice(1) : loc;
	return (
		steps
			.map((step) => (typeof step === 'number' ? `entry ${step + 1}` : (LABELS.get(step) ?? step)))
			.join(', ') || 'Request'
	);
}

/** The form field that an upload lacks, by the service's reason. */
export function missingFormField({ entries = [] }: Reason = { text: '' }): string | undefined {
	const names = entries.flatMap(({ loc, isMissing }) =>
		isMissing && loc[0] === 'body' ? loc.slice(-1) : [],
	);
	return names.find((name) => typeof name === 'string');
}

/** Whether the service refuses what may be names where it takes IDs alone. */
export function areNamesRefused({ entries = [] }: Reason = { text: '' }): boolean {
	const refused = entries.filter(({ isMissing }) => !isMissing).flatMap(({ loc }) => loc);
	return refused.includes('column_ids') || refused.includes('collection_id');
}
