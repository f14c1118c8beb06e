/** JSON bodies as templates for Upload URL Body and Confirm Body. */
import type { JsonObject } from '../fields';
import type { Reference, Shape } from './reference';

/** What to do with a template that has texts in angle brackets. */
export const COMPLETE =
	'Replace each text in angle brackets, including the brackets, with a placeholder or a value.';

/** A body beyond these limits is not one to fill in by hand. */
const DEEPEST = 8;
const MOST_PROPERTIES = 200;
const MOST_FORMS = 10;
const MOST_LISTED = 20;

/** A JSON body, and the paths of its properties. */
interface Template {
	json: string;
	required: string[];
	optional: string[];
	/** Whether there is something in angle brackets. */
	isIncomplete: boolean;
}

/** Where in the body a value stands. */
interface Place {
	name: string;
	path: string;
	depth: number;
	/** The schemas around it, so that none is written within itself. */
	within: JsonObject[];
}

/** What certainly holds for a value, and the choices that remain. */
interface Form extends Shape {
	parts: JsonObject[];
	choices: JsonObject[][];
}

/**
 * The JSON bodies that a schema describes, one for each of its forms. A property whose name is a
 * placeholder holds it, a list `document_ids` holds `{document_id}`, and any other holds its type
 * in angle brackets.
 */
export function bodyTemplates(
	reference: Reference,
	schema: JsonObject,
	placeholders: ReadonlySet<string>,
): Template[] {
	const [choice] = formOf(reference, [schema]).choices;
	const bodies = choice ? choice.slice(0, MOST_FORMS).map((form) => [schema, form]) : [[schema]];
	return bodies.map((body) => templateOf(reference, body, placeholders));
}

/** @param schemas all of which hold for the body */
function templateOf(
	reference: Reference,
	schemas: JsonObject[],
	placeholders: ReadonlySet<string>,
): Template {
	const template: Template = { json: '', required: [], optional: [], isIncomplete: false };

	function valueOf(form: Form, place: Place): unknown {
		const { types, values, properties, parts, choices } = form;
		const isTooDeep = place.depth >= DEEPEST || parts.some((part) => place.within.includes(part));
		const inside = { ...place, depth: place.depth + 1, within: [...place.within, ...parts] };
		if (properties.length > 0) {
			return isTooDeep ? standIn('', ['object']) : objectOf(form, inside);
		}
		if (types.has('array')) {
			const name = place.name === 'document_ids' ? 'document_id' : '';
			const [entry] = form.entries;
			if (isTooDeep || !entry) return [standIn(name, ['any'])];
			const path = `${place.path}[0]`;
			return [valueOf(formOf(reference, [entry.schema]), { ...inside, name, path })];
		}
		if (values.length === 1) return values[0].value;
		if (values.length > 1) {
			const listed = values.slice(0, MOST_LISTED).map(({ value }) => value);
			return standIn(place.name, [`one of: ${listed.join(', ')}`]);
		}
		const chosen = choices
			.flatMap((choice) => choice.slice(0, MOST_LISTED))
			.flatMap((schema) => [...formOf(reference, [schema]).types]);
		return standIn(place.name, [...types, ...chosen]);
	}

	function objectOf({ properties, required }: Form, place: Place): JsonObject {
		// Without a prototype, so that a property named __proto__ is one.
		const body = Object.create(null) as JsonObject;
		for (const { name, schema } of properties) {
			if (template.required.length + template.optional.length >= MOST_PROPERTIES) break;
			const form = formOf(reference, [schema]);
			if (Object.hasOwn(body, name) || form.isReadOnly) continue;
			const path = place.path ? `${place.path}.${name}` : name;
			(required.has(name) ? template.required : template.optional).push(path);
			body[name] = valueOf(form, { ...place, name, path });
		}
		return body;
	}

	/** A placeholder where the name is one, otherwise a text that the user replaces. */
	function standIn(name: string, descriptions: unknown[]): string {
		if (placeholders.has(name)) return `{${name}}`;
		template.isIncomplete = true;
		return `<${[...new Set(descriptions)].join(' or ') || 'any'}>`;
	}

	const top = { name: '', path: '', depth: 0, within: [] };
	template.json = JSON.stringify(valueOf(formOf(reference, schemas), top));
	return template;
}

function formOf(reference: Reference, schemas: JsonObject[]): Form {
	const parts = new Set(schemas);
	const choices: JsonObject[][] = [];
	for (const part of parts) {
		const composition = reference.composition(part);
		for (const other of composition.all) parts.add(other);
		for (const choice of composition.choices) {
			const forms = choice.filter(({ type }) => type !== 'null');
			if (forms.length === 1) parts.add(forms[0]);
			else if (!forms.some((form) => parts.has(form))) choices.push(forms);
		}
	}
	return { ...reference.mergedShape(parts), parts: [...parts], choices };
}
