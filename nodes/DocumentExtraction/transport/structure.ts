/** Columns and collections in the workflow's metadata, whose shape is not shown (interface.md §2). */
import { valueIn } from './apiDetails';

interface Entry {
	name: string;
	value: string;
	description?: string;
}

/** The collections, by `collection_id`; named where the service names them. */
export function collectionsOf(workflow: unknown): Entry[] {
	return entriesWith(workflow, 'collection_id').map((entry) => {
		const value = String(valueIn(entry, 'collection_id'));
		const name = valueIn(entry, 'collection_name') ?? valueIn(entry, 'name');
		return { name: String(name ?? value), value };
	});
}

/** The columns, by `column_id`, with their type and prompt where the service gives them. */
export function columnsOf(workflow: unknown): Entry[] {
	return entriesWith(workflow, 'column_id').map((entry) => {
		const value = String(valueIn(entry, 'column_id'));
		const [name, prompt, type] = ['name', 'prompt', 'type'].map((key) => valueIn(entry, key));
		return {
			name: `${String(name ?? prompt ?? value)}${type === undefined ? '' : ` (${String(type)})`}`,
			value,
			description: prompt === undefined ? undefined : String(prompt),
		};
	});
}

/** Objects that have a field of their own, each once, wherever they stand. */
function entriesWith(value: unknown, field: string): object[] {
	if (value === null || typeof value !== 'object') return [];
	const inner = Object.values(value).flatMap((entry) => entriesWith(entry, field));
	return Object.hasOwn(value, field) ? [value, ...inner] : inner;
}
