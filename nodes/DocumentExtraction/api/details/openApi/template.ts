/** JSON bodies as templates for Upload URL Body and Confirm Body. */
import { own, type JsonObject, type Located } from './document';
import type { Property, SchemaReader } from './schemas';
import { writtenTypes, writtenValues } from './values';

/** Beyond these a template is no longer one that somebody fills in. */
const DEEPEST = 8;
const MOST_PROPERTIES = 200;
const MOST_FORMS = 10;
const MOST_LISTED = 20;

interface BodyTemplate {
	json: string;
	/** Paths of what the user replaces, by whether the schema requires it. */
	required: string[];
	optional: string[];
	/** How many values the user has to replace. */
	standIns: number;
}

/** One body while it is written. */
interface Draft {
	reader: SchemaReader;
	/** The names that the interface fixes, and which placeholders stand for. */
	placeholders: ReadonlySet<string>;
	required: string[];
	optional: string[];
	standIns: number;
}

/** Where in the body a value stands. */
interface Place {
	name: string;
	path: string;
	depth: number;
	/** The schemas around it, so that none is written within itself. */
	within: JsonObject[];
}

/**
 * The JSON bodies that a schema describes, one for each form where it offers several. A property
 * whose name is a placeholder holds it, a list `document_ids` holds `{document_id}`, and any other
 * holds its type in angle brackets.
 */
export function bodyTemplates(
	reader: SchemaReader,
	schema: Located,
	placeholders: ReadonlySet<string>,
): BodyTemplate[] {
	const { open } = formOf(reader, [schema]);
	const forms = open.length === 0 ? [[schema]] : open[0].map((form) => [schema, form]);
	return forms.slice(0, MOST_FORMS).map((form) => {
		const draft: Draft = { reader, placeholders, required: [], optional: [], standIns: 0 };
		const value = bodyValue(draft, form, { name: '', path: '', depth: 0, within: [] });
		const { required, optional, standIns } = draft;
		return { json: JSON.stringify(value), required, optional, standIns };
	});
}

/** All that surely holds for a value of these schemas, and the choices that stay open. */
function formOf(reader: SchemaReader, schemas: Located[]): { parts: Located[]; open: Located[][] } {
	const parts = new Map(schemas.map((schema) => [schema.value, schema]));
	const open: Located[][] = [];
	for (const part of parts.values()) {
		const { all, choices } = reader.edges(part);
		if (!reader.spend(all.length + choices.flat().length + 1)) break;
		const certain = [...all];
		for (const choice of choices) {
			const forms = choice.filter(({ value }) => own(value, 'type') !== 'null');
			if (forms.length === 1) certain.push(forms[0]);
			else if (!forms.some((form) => parts.has(form.value))) open.push(forms);
		}
		for (const next of certain) if (!parts.has(next.value)) parts.set(next.value, next);
	}
	return { parts: [...parts.values()], open };
}

function bodyValue(draft: Draft, schemas: Located[], place: Place): unknown {
	const { parts, open } = formOf(draft.reader, schemas);
	const edges = parts.map((part) => draft.reader.edges(part));
	const properties = edges.flatMap((edge) => edge.properties);
	const entries = edges.flatMap((edge) => edge.entries);
	const types = parts.flatMap(({ value }) => writtenTypes(value));
	const isTooDeep =
		place.depth >= DEEPEST || parts.some(({ value }) => place.within.includes(value));
	const inner: Place = {
		...place,
		depth: place.depth + 1,
		within: [...place.within, ...parts.map(({ value }) => value)],
	};
	if (properties.length > 0) {
		return isTooDeep
			? standIn(draft, '', ['object'])
			: objectValue(draft, parts, properties, inner);
	}
	if (types.includes('array') || entries.length > 0) {
		const name = place.name === 'document_ids' ? 'document_id' : '';
		if (isTooDeep || entries.length === 0) return [standIn(draft, name, ['any'])];
		return [bodyValue(draft, [entries[0].schema], { ...inner, name, path: `${place.path}[0]` })];
	}
	const values = parts.flatMap(writtenValues).map(({ value }) => value);
	if (values.length === 1) return values[0];
	if (values.length > 1) {
		return standIn(draft, place.name, [`one of: ${values.slice(0, MOST_LISTED).join(', ')}`]);
	}
	const choices = open
		.flatMap((forms) => forms.slice(0, MOST_LISTED))
		.flatMap((form) => formOf(draft.reader, [form]).parts)
		.flatMap(({ value }) => writtenTypes(value));
	return standIn(draft, place.name, [...types, ...choices]);
}

function objectValue(
	draft: Draft,
	parts: Located[],
	properties: Property[],
	place: Place,
): JsonObject {
	const required = new Set(parts.flatMap(({ value }) => own(value, 'required')));
	// Without a prototype, so that a property named __proto__ is one.
	const body = Object.create(null) as JsonObject;
	for (const { name, schema } of properties) {
		if (draft.required.length + draft.optional.length >= MOST_PROPERTIES) break;
		if (!draft.reader.spend(1)) break;
		const { parts: ofProperty } = formOf(draft.reader, [schema]);
		if (Object.hasOwn(body, name) || ofProperty.some(({ value }) => value.readOnly === true)) {
			continue;
		}
		const path = place.path ? `${place.path}.${name}` : name;
		(required.has(name) ? draft.required : draft.optional).push(path);
		body[name] = bodyValue(draft, [schema], { ...place, name, path });
	}
	draft.reader.spend(required.size + properties.length);
	return body;
}

/** What the user replaces, unless the interface fixes what stands there. */
function standIn(draft: Draft, name: string, descriptions: string[]): string {
	if (draft.placeholders.has(name)) return `{${name}}`;
	draft.standIns++;
	return `<${[...new Set(descriptions)].join(' or ') || 'any'}>`;
}
