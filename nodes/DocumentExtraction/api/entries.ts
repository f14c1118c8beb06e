/** What fields give: expressions, agents and nodes before may fill them with anything. */
import { UserError } from 'n8n-workflow';

import { parsedJson } from '../http/response';
import { unquoted } from '../account/parse';

/** What n8n turns an object into if there is other text beside its expression. */
export const OBJECT_AS_TEXT = '[object Object]';

/**
 * A text without space around it; empty for nothing.
 * @param label of the field
 * @throws UserError for what is no text: it would be sent as `[object Object]`
 */
export function textFrom(value: unknown, label: string): string {
	const text = typeof value === 'object' && value !== null ? OBJECT_AS_TEXT : String(value ?? '');
	if (!text.includes(OBJECT_AS_TEXT)) return text.trim();
	throw new UserError(
		`'${label}' gives ${Array.isArray(value) ? 'a list' : 'an object'}, not a text`,
		{
			description:
				'Enter the field inside it that holds the text: {{ $json.documentId }}, for example, in place of {{ $json }}.',
		},
	);
}

/**
 * The entries of a list, as JSON too, or of a text that is split; without quotation marks and empty ones.
 * @param split how a text that is no JSON list is split
 */
export function listFrom(
	value: unknown,
	label: string,
	split: (text: string) => string[],
): string[] {
	const list = Array.isArray(value) ? (value as unknown[]) : listIn(textFrom(value, label), split);
	return list.map((entry) => unquoted(textFrom(entry, label))).filter(Boolean);
}

export const atCommas = (text: string) => text.split(',');

/** Agents give lists as text. */
function listIn(text: string, split: (text: string) => string[]): unknown[] {
	const isList = text.startsWith('[') && text.endsWith(']');
	const json = isList || text.startsWith('{') ? parsedJson(text) : undefined;
	if (json !== undefined) return [json].flat();
	return split(isList ? text.slice(1, -1) : text);
}

/** IDs, each once: separated by commas, or a list. */
export function idsFrom(value: unknown, label: string): string[] {
	return [...new Set(listFrom(value, label, atCommas))];
}

/** The one ID that a field takes, which may hold commas itself; empty for nothing. */
export function idFrom(value: unknown, label: string): string {
	const ids = listFrom(value, label, (text) => [text]);
	if (ids.length <= 1) return ids[0] ?? '';
	throw new UserError(`'${label}' takes one ID, and gets ${ids.length}`);
}
