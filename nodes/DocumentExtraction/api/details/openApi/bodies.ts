/** JSON bodies as templates for Upload URL Body and Confirm Body. */
import type { JsonObject } from '../fields';
import type { Reference, Shape } from './reference';

/** What to do with a template that has texts in angle brackets. */
export const COMPLETE =
	'Replace each text in angle brackets, including the brackets, with a placeholder or a value.';

/** Whether a body has texts in angle brackets. */
export function isIncomplete(body: string): boolean {
	return /"<[^"]*>"/.test(body);
}

/** A body beyond these limits is not one to fill in by hand. */
const DEEPEST = 8;
const MOST_PROPERTIES = 200;
const MOST_FORMS = 10;
const MOST_LISTED = 20;

/** A body as JSON, and the paths of its properties. */
interface Template {
	value: string;
	required: string[];
	optional: string[];
}

/** Where in the body a value stands. */
interface Place {
	name: string;
	path: string;
	/** The schemas of each value around it. */
	within: JsonObject[][];
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
	const template: Template = { value: '', required: [], optional: [] };

	function valueOf(form: Form, { name, path, within }: Place): unknown {
		const { types, values, properties, entries, parts, choices } = form;
		const around = within.flat();
		const isTooDeep = within.length >= DEEPEST || parts.some((part) => around.includes(part));
		const inside = [...within, parts];
		if (properties.length > 0) {
			return isTooDeep ? standIn('', ['object']) : objectOf(form, path, inside);
		}
		if (types.has('array')) {
			const entryName = name === 'document_ids' ? 'document_id' : '';
			if (isTooDeep || entries.length === 0) return [standIn(entryName, ['any'])];
			const entry = formOf(reference, [entries[0].part]);
			return [valueOf(entry, { name: entryName, path: `${path}[0]`, within: inside })];
		}
		if (values.length === 1) return values[0].value;
		if (values.length > 1) {
			const listed = values.slice(0, MOST_LISTED).map(({ value }) => value);
			return standIn(name, [`one of: ${listed.join(', ')}`]);
		}
		const chosen = choices
			.flatMap((choice) => choice.slice(0, MOST_LISTED))
			.flatMap((schema) => [...formOf(reference, [schema]).types]);
		return standIn(name, [...types, ...chosen]);
	}

	function objectOf({ properties }: Form, outer: string, within: JsonObject[][]) {
		// Without a prototype, so that a property named __proto__ is one.
		const body = Object.create(null) as JsonObject;
		for (const { name, isRequired, part } of properties) {
			if (template.required.length + template.optional.length >= MOST_PROPERTIES) break;
			const form = formOf(reference, [part]);
			if (Object.hasOwn(body, name) || form.isReadOnly) continue;
			const path = outer ? `${outer}.${name}` : name;
			(isRequired ? template.required : template.optional).push(path);
			body[name] = valueOf(form, { name, path, within });
		}
		return body;
	}

	/** A placeholder where the name is one, otherwise a text that the user replaces. */
	function standIn(name: string, descriptions: unknown[]): string {
		if (placeholders.has(name)) return `{${name}}`;
		return `<${[...new Set(descriptions)].join(' or ') || 'any'}>`;
	}

	const body = valueOf(formOf(reference, schemas), { name: '', path: '', within: [] });
	return { ...template, value: JSON.stringify(body) };
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
