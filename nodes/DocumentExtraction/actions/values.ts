/** Checks the values of fields, which expressions, agents and earlier nodes may fill with anything. */
import { UserError } from 'n8n-workflow';

import { unquoted } from '../account/parse';
import { parsedJson } from '../http/response';
import { sentences } from '../http/redact';

/** @throws UserError naming the field, where its value is no such number; nothing is no number, and not 0 */
export function checkedNumber(
	label: string,
	value: unknown,
	least = 1,
	isWhole = false,
	most = Infinity,
): number {
	const isGiven = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
	const number = isGiven ? Number(value) : NaN;
	if (number >= least && number <= most && (!isWhole || Number.isInteger(number))) return number;
	const kind = isWhole ? 'whole number' : 'number';
	const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
	throw new UserError(`'${label}' must be a ${kind} ${range}`);
}

/** What n8n turns an object into if there is other text beside its expression. */
export const OBJECT_AS_TEXT = '[object Object]';

/**
 * A text without space around it; empty for nothing.
 * @param label of the field
 * @throws UserError for what is no text: it would be sent as `[object Object]`; also for a number that
 * JavaScript has rounded: as an ID, it would name something else
 */
export function textFrom(value: unknown, label: string): string {
	if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
		throw new UserError(`'${label}' is a number with more digits than n8n keeps`, {
			description: sentences(
				`Its last digits are lost already: ${value} may be the ID of something else.`,
				'Give it as text: put it in double quotes where it comes from,',
				'or take it from a field in which it is text.',
			),
		});
	}
	const text = typeof value === 'object' && value !== null ? OBJECT_AS_TEXT : String(value ?? '');
	if (!text.includes(OBJECT_AS_TEXT)) return text.trim();
	throw new UserError(
		`'${label}' gives ${Array.isArray(value) ? 'a list' : 'an object'}, not text`,
		{
			description:
				'Enter the field inside it that contains the text: {{ $json.documentId }}, for example, in place of {{ $json }}.',
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
	throw new UserError(`'${label}' takes one ID, but got ${ids.length}`, {
		description: 'Enter one of them. For several IDs, give this node one input item per ID.',
	});
}
