/** Properties in the successful responses of operations. */
import type { JsonObject, Located } from '../document';
import { responseSchemas, type Operation } from '../operations';
import type { Property } from '../schemas';
import { findProperties, searchProperties, waysTo, type Search } from '../search';
import type { Reference } from './reference';

/** A search for properties in successful responses, and the operations where it hit. */
export interface Searched {
	operations: Operation[];
	search: Search;
}

/** The operations in whose successful responses such a property stands, however deep. */
export function withProperty(
	{ document, reader }: Reference,
	operations: Operation[],
	isHit: (property: Property) => boolean,
): Searched {
	const schemas = new Map<JsonObject, Located[]>();
	for (const operation of operations) {
		const { value } = operation.definition;
		if (!schemas.has(value)) schemas.set(value, responseSchemas(document, operation));
	}
	const search = searchProperties(reader, [...schemas.values()].flat(), isHit);
	const holding = new Set(
		[...schemas].flatMap(([definition, roots]) =>
			roots.some((root) => search.leading.has(root.value)) ? [definition] : [],
		),
	);
	return {
		operations: operations.filter(({ definition }) => holding.has(definition.value)),
		search,
	};
}

/** The ways to what a search has hit, in the successful responses of some operations. */
export function waysInResponses({ document, reader }: Reference, { operations, search }: Searched) {
	const roots = operations.flatMap((operation) => responseSchemas(document, operation));
	return waysTo(reader, roots, search);
}

/** Such properties in the successful responses of some operations. */
export function propertiesInResponses(
	{ document, reader }: Reference,
	operations: Operation[],
	isHit: (property: Property) => boolean,
) {
	const roots = operations.flatMap((operation) => responseSchemas(document, operation));
	return findProperties(reader, roots, isHit);
}
