/**
 * The operations that may return signed upload URLs. The interface shows neither method nor path
 * (§4.3): whatever returns an address may be it, once the document is known to be this service's.
 */
import type { Located } from '../document';
import type { Operation } from '../operations';
import { entrySchemas, type Property, type SchemaReader } from '../schemas';
import { allows, isUri } from '../values';
import { isShown, type Reference } from './reference';
import { withProperty, type Searched } from './responses';

/** @param returningWorkflow operations that are known to return something else */
export function uploadUrlCandidates(
	reference: Reference,
	returningWorkflow: Operation[],
): Searched {
	const { operations, reader } = reference;
	const isThisService = operations.some(isShown);
	const excluded = new Set(returningWorkflow);
	const others = operations.filter(
		(operation) => isThisService && !isShown(operation) && !excluded.has(operation),
	);
	return withProperty(reference, others, (property) => isAddress(reader, property));
}

function isAddress(reader: SchemaReader, { name, schema }: Property): boolean {
	if (!allows(reader, schema, ['string', 'array'])) return false;
	const entries = entrySchemas(reader, schema);
	const isText = (inner: Located) => allows(reader, inner, ['string']);
	if ([schema, ...entries].some((inner) => isText(inner) && isUri(reader, inner))) return true;
	if (!/url|href|(?:^|[^a-z])uris?(?:[^a-z]|$)|Uris?(?:[^a-z]|$)/i.test(name)) return false;
	return entries.length > 0 ? entries.some(isText) : isText(schema);
}
