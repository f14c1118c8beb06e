/**
 * Values Field, Column Name Field and Column Value Field: candidates only, for the interface does
 * not show a result.
 */
import { LIST_EXTRACTIONS } from '../../shownCalls';
import { unique, type Located } from '../document';
import { responseSchemas } from '../operations';
import { entrySchemas, propertiesOf, type SchemaReader } from '../schemas';
import { findProperties, type FoundProperty } from '../search';
import { allows, typesOf } from '../values';
import { listed, toFinding, type Findings, type Found } from './found';
import { operationsWith, type Reference } from './reference';

export function findResultFields(
	reference: Reference,
): Pick<Findings, 'valuesField' | 'columnNameField' | 'columnValueField'> {
	const { reader } = reference;
	const results = resultSchemas(reference);
	const containers = containersIn(reader, results);
	const entries = fieldsWithin(reader, [
		...containers.flatMap(({ schema }) => entrySchemas(reader, schema)),
		...results,
	]);
	const names = entries.filter(({ schema }) => allows(reader, schema, ['string']));
	return {
		valuesField: candidates(
			containers,
			'These fields of a result hold an object or a list. Choose the one that holds the extracted values, by column or one entry for each column.',
		),
		columnNameField: candidates(
			names,
			'Needed only where there is one entry for each column. These fields of such an entry may hold a name: choose the one that names the column.',
		),
		columnValueField: candidates(
			entries,
			'Needed only where there is one entry for each column. These are the fields of such an entry: choose the one that holds the value itself.',
		),
	};
}

function candidates(fields: FoundProperty[], advice: string): Found {
	return listed(
		fields.map(toFinding),
		fields.length > 0
			? advice
			: "The document does not say what an entry of the extraction list's items holds. Look at a real one: read one with Extraction › Get Many.",
	);
}

/** What stands in the page envelope's `items` (§2). */
function resultSchemas(reference: Reference): Located[] {
	const { document, reader } = reference;
	const envelopes = operationsWith(reference, LIST_EXTRACTIONS).flatMap((list) =>
		responseSchemas(document, list),
	);
	return unique(envelopes)
		.flatMap((envelope) => propertiesOf(reader, envelope))
		.filter(({ name }) => name === 'items')
		.flatMap(({ schema }) => entrySchemas(reader, schema));
}

function containersIn(reader: SchemaReader, results: Located[]): FoundProperty[] {
	return findProperties(reader, results, ({ schema }) => {
		const types = typesOf(reader, schema);
		return types.has('object') || types.has('array');
	}).found;
}

/** The fields of some schemas, nested ones too, as long as no list lies between. */
function fieldsWithin(reader: SchemaReader, schemas: Located[]): FoundProperty[] {
	const { found } = findProperties(reader, schemas, () => true);
	return found.filter(({ path }) => !path.includes('['));
}
