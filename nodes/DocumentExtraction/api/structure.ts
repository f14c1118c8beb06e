/** Columns and collections in the workflow's metadata, whose shape is not shown (interface.md §2). */
import { DEEPEST_LEVEL, shortened, withoutMarkup } from '../http/redact';
import { levelsOf, valueIn } from './details/fields';

/** How far below an entry its own fields may be; those further down belong to other entries. */
const NEAR = 3;

/** An entry of a list in the editor, which renders its texts as HTML. */
interface Entry {
	name: string;
	value: string;
	description?: string;
}

/** The collections, by `collection_id`. */
export function collectionsOf(workflow: unknown): Entry[] {
	return entriesWith(workflow, 'collection_id').map((entry) => {
		const value = String(valueIn(entry, 'collection_id', NEAR));
		return { name: shown(titleOf(entry) ?? value), value };
	});
}

/** The columns, by `column_id`, with their type and prompt where the service gives them. */
export function columnsOf(workflow: unknown): Entry[] {
	return entriesWith(workflow, 'column_id').map((entry) => {
		const value = String(valueIn(entry, 'column_id', NEAR));
		const [prompt, type] = ['prompt', 'type'].map((key) => valueIn(entry, key, NEAR));
		const name = `${String(titleOf(entry) ?? prompt ?? value)}${type === undefined ? '' : ` (${String(type)})`}`;
		return {
			name: shown(name),
			value,
			description: prompt === undefined ? undefined : shown(String(prompt)),
		};
	});
}

/** The columns, each by its name as it stands. */
export function columnNamesOf(workflow: unknown): Entry[] {
	return entriesWith(workflow, 'column_id').flatMap((entry) => {
		const name = titleOf(entry);
		// n8n takes a value that begins with = for an expression.
		return name === undefined || name.startsWith('=') ? [] : [{ name: shown(name), value: name }];
	});
}

/** What each column may be called in results: by its ID or by its title. */
export function columnNames(workflow: unknown, columnIds: string[]): string[][] {
	return entriesWith(workflow, 'column_id')
		.map((entry) => [String(valueIn(entry, 'column_id', NEAR)), titleOf(entry) ?? []].flat())
		.filter(([id]) => columnIds.length === 0 || columnIds.includes(id));
}

const shown = (text: string) => shortened(withoutMarkup(text));

/** What an entry is called, under a name that is not shown: a text of its own that is no ID will do. */
function titleOf(entry: object): string | undefined {
	const texts = Object.entries(entry).filter(
		([key, value]) => typeof value === 'string' && value && !/id$|^(prompt|type)$/i.test(key),
	);
	const [, title] = texts.find(([key]) => /name$/i.test(key)) ?? texts[0] ?? [];
	return title as string | undefined;
}

/** Objects that have a field of their own, each once, wherever they stand. */
function entriesWith(value: unknown, field: string): object[] {
	return (
		[...levelsOf(value, DEEPEST_LEVEL)]
			.flat()
			.filter((entry): entry is object => entry !== null && typeof entry === 'object')
			.filter((entry) => Object.hasOwn(entry, field))
			// n8n takes a value that begins with = for an expression.
			.filter((entry) => !String(valueIn(entry, field, NEAR)).startsWith('='))
	);
}
