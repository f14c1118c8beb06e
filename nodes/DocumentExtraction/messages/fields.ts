/** The fields of requests (interface.md §4), by the names in the node's panel. */
import { WORKFLOW_ID_LABEL } from '../account/credential';
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
export function fieldName(loc: Array<string | number>, isOwnName: boolean): string {
	const steps = PLACES.has(loc[0]) ? loc.slice(1) : loc;
	return (
		steps
			.map((step) =>
				typeof step === 'number' ? `entry ${step + 1}` : (!isOwnName && LABELS.get(step)) || step,
			)
			.join(', ') || 'Request'
	);
}

/** The fields that a body lacks, by the service's reason. */
export function missingFields({ entries = [] }: Reason = { text: '' }): string[] {
	const names = entries.flatMap(({ loc, isMissing }) =>
		isMissing && loc[0] === 'body' && loc.length > 1 ? loc.slice(-1) : [],
	);
	return names.filter((name) => typeof name === 'string');
}

/** The form fields that an upload lacks and the node has no field for: one of them may carry the file. */
export function missingFormFields(reason: Reason | undefined): string[] {
	return missingFields(reason).filter((name) => !LABELS.has(name));
}

const ID_FIELDS = ['column_ids', 'collection_id', 'document_id', 'document_ids'];

/** The fields for IDs whose values the service refuses, by their labels; as it calls them in `names`. */
export function refusedIds({ entries = [] }: Reason = { text: '' }, names = ID_FIELDS): string[] {
	const refused = entries.filter(({ isMissing }) => !isMissing).flatMap(({ loc }) => loc);
	return names.filter((name) => refused.includes(name)).map((name) => LABELS.get(name) ?? name);
}
