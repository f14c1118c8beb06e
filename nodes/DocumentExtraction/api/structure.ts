/** Columns and collections in the workflow's metadata, whose shape is not shown (interface.md §2). */
import { DEEPEST_LEVEL, shortened, withoutMarkup } from '../http/redact';
import { levelsOf, valueIn } from './details/fields';

/** How far below an object its own fields may be; those further down belong to other objects. */
const NEAR = 3;

/** An entry of a list in the editor, which renders its texts as HTML. */
interface ListEntry {
	name: string;
	value: string;
	description?: string;
}

/** The collections, by `collection_id`. */
export function collectionsOf(workflow: unknown): ListEntry[] {
	return objectsWith(workflow, 'collection_id').map(({ id, title }) => {
		return { name: shown(title ?? id), value: id };
	});
}

/** The columns, by `column_id`, with their type and prompt where the service gives them. */
export function columnsOf(workflow: unknown): ListEntry[] {
	return objectsWith(workflow, 'column_id').map(({ id, title, object }) => {
		const [prompt, type] = ['prompt', 'type'].map((field) => valueIn(object, field, NEAR));
		return {
			name: shown(
				`${String(title ?? prompt ?? id)}${type === undefined ? '' : ` (${String(type)})`}`,
			),
			value: id,
			description: prompt === undefined ? undefined : shown(String(prompt)),
		};
	});
}

/** The columns, each by its name as it stands. */
export function columnNamesOf(workflow: unknown): ListEntry[] {
	return objectsWith(workflow, 'column_id').flatMap(({ title }) =>
		title === undefined || isExpression(title) ? [] : [{ name: shown(title), value: title }],
	);
}

/**
 * What each column may be called in results: by its ID or by its title.
 * @param columnIds the columns that are wanted; empty for all
 */
export function columnNames(workflow: unknown, columnIds: string[]): string[][] {
	return objectsWith(workflow, 'column_id')
		.filter(({ id }) => columnIds.length === 0 || columnIds.includes(id))
		.map(({ id, title }) => (title === undefined ? [id] : [id, title]));
}

const shown = (text: string) => shortened(withoutMarkup(text));

/** n8n takes a value that begins with = for an expression. */
const isExpression = (value: string) => value.startsWith('=');

/** The objects that have an ID under a field of their own, at any depth, with what they are called. */
function objectsWith(workflow: unknown, field: string) {
	return [...levelsOf(workflow, DEEPEST_LEVEL)]
		.flat()
		.filter((value): value is object => value !== null && typeof value === 'object')
		.filter((object) => Object.hasOwn(object, field))
		.map((object) => {
			return { id: String(valueIn(object, field, NEAR)), title: titleOf(object), object };
		})
		.filter(({ id }) => !isExpression(id));
}

/** What a column or collection is called. The name's field is not shown: it is a text that is no ID. */
function titleOf(object: object): string | undefined {
	const texts = Object.entries(object).filter(
		([key, value]) => typeof value === 'string' && value && !/id$|^(prompt|type)$/i.test(key),
	);
	const [, title] = texts.find(([key]) => /name$/i.test(key)) ?? texts[0] ?? [];
	return title as string | undefined;
}
