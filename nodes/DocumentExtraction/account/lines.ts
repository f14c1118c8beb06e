/** Reads the text of 'API Details', as users write it or paste it from wherever they have copied it. */
import { UserError } from 'n8n-workflow';

import { redact, shortened } from '../http/redact';
import { parsedJson } from '../http/response';
import { isObject } from './fields';

/** What a line says, under its label as the table of API Details spells it. */
interface Entry {
	label: string;
	/** What follows the colon; JSON may go on over the next lines. */
	value: string;
	/** As it was pasted. */
	line: string;
}

/**
 * The values of a text that has a line `Label: value` for each. Blank lines and lines that begin with #
 * are left alone, as is all that n8n, a list or a page puts around a line when it is copied.
 * @param labels of all API Details
 * @param secret the API key, which must not appear in an error
 * @returns the values by their labels, without those that are empty
 * @throws UserError naming a line that has no known label, or a label that stands twice
 */
export function readLines(text: string, labels: string[], secret = ''): Map<string, string> {
	const shown = (line: string) => `'${shortened(redact(line.trim(), secret), LONGEST_SHOWN)}'`;
	const entries: Entry[] = [];
	for (const line of linesIn(text, labels)) {
		const last = entries.at(-1);
		const isInJson = last !== undefined && isUnclosed(last.value);
		const isNext = !isInJson || labels.some((label) => line.trim().startsWith(`${label}:`));
		const entry = isNext ? entryIn(line, labels) : undefined;
		if (entry) entries.push(entry);
		else if (last && (isInJson || (!last.value && /^\s*[{[]/.test(line))))
			last.value += `\n${line}`;
		else if (!isLeftAlone(line)) throw unknownLine(shown(line), line, labels);
	}
	const filled = entries
		.map((entry) => ({ ...entry, value: valueOf(entry.value) }))
		.filter(({ value }) => value !== '');
	for (const entry of filled) {
		const first = filled.find(({ label }) => label === entry.label);
		if (first === entry) continue;
		// The window of the credential shows no description.
		throw new UserError(
			[
				`The credential's 'API Details' has two lines for '${entry.label}'.`,
				`Delete one of them: ${shown(first?.line ?? '')} or ${shown(entry.line)}`,
			].join(' '),
		);
	}
	return new Map(filled.map(({ label, value }) => [label, value]));
}

const LONGEST_SHOWN = 100;

function unknownLine(shown: string, line: string, labels: string[]): UserError {
	const near = nearest(line, labels);
	const example = "Put a label and a colon before it, as in 'Upload File Field: file'.";
	const meant = near
		? `Did you mean '${near}: …'?`
		: `${example} The labels are: ${labels.join(', ')}`;
	return new UserError(
		`A line in the credential's 'API Details' begins with no known label: ${shown}. ${meant}`,
		{ description: 'Open the credential, and correct or delete this line.' },
	);
}

/** What labels are compared by. */
const lettersOf = (label: string) => label.toLowerCase().replace(/[^\p{L}\d]/gu, '');

/** What stands before the first letter of a line: bullets, quotation marks, brackets, the index of a list. */
const DECORATION = /^[^\p{L}#]*(?:enter\b[^\p{L}#]*)?/u;

const QUOTE = '["\'`“”„‘’]';
const CLOSING_QUOTE = new RegExp(`${QUOTE}$`);

/** Nothing but decoration, or a comment. */
const isLeftAlone = (line: string) => /^(?:#.*)?$/s.test(line.replace(DECORATION, ''));

function entryIn(line: string, labels: string[]): Entry | undefined {
	if (isLeftAlone(line)) return undefined;
	const [decoration] = DECORATION.exec(line) ?? [''];
	const [, name = '', rest = ''] = /^([^:]*):(.*)$/s.exec(line.slice(decoration.length)) ?? [];
	const label = labels.find((one) => lettersOf(one) === lettersOf(name));
	if (label === undefined) return undefined;
	const isQuoted = new RegExp(QUOTE).test(decoration) && !CLOSING_QUOTE.test(name.trim());
	const unquoted = isQuoted ? withoutComma(rest).replace(CLOSING_QUOTE, '') : rest;
	// A label, or a whole line, may be bold.
	const value = unquoted.trim().replace(/^\*\*|\*\*$/g, '');
	return { label, value: value.trim(), line };
}

/** A text without the comma that stands behind it in a list. */
function withoutComma(text: string): string {
	const trimmed = text.trim();
	return trimmed.endsWith(',') ? trimmed.slice(0, -1).trimEnd() : trimmed;
}

/** Whether JSON has begun and goes on in the next line. */
function isUnclosed(value: string): boolean {
	if (!/^\s*[{[]/.test(value)) return false;
	// A text without its end goes to the end of the value.
	const signs = value.match(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs) ?? [];
	const count = (either: string, or: string) =>
		signs.filter((sign) => sign === either || sign === or).length;
	return count('{', '[') > count('}', ']');
}

/** A value without what followed its arrow where it was a choice, and as JSON where it is JSON. */
function valueOf(entered: string): string {
	const chosen = /^((?:"[^"]*"|[^"→])*)→/.exec(entered)?.[1] ?? entered;
	const value = withoutComma(chosen);
	if (/^(["'`“”„‘’])?\s*["'`“”„‘’]?$/.test(value)) return '';
	if (!/^[{[]/.test(value) || parsedJson(value) !== undefined) return value;
	// As n8n prints a text.
	const unescaped = value.replaceAll('\\n', ' ').replaceAll('\\"', '"');
	return parsedJson(unescaped) === undefined ? value : unescaped;
}

const LINE_BREAK = /\r\n?|\n/;

/** The lines of a text but for comments. It may be in JSON, or show its line breaks as \n. */
function linesIn(text: string, labels: string[]): string[] {
	const names = labels.join('|');
	const printedBreak = new RegExp(`\\\\n\\s*(?=(?:${names})\\s*:|#|\\\\|$)`, 'i');
	return unpacked(text.replace(/[\u200b-\u200d\u2060\ufeff]/g, ''))
		.split(LINE_BREAK)
		.flatMap((line) => {
			const inner = unpacked(line);
			return entryIn(inner, labels) ? inner.split(LINE_BREAK) : [line];
		})
		.flatMap((line) => line.split(printedBreak))
		.filter((line) => !/^\s*#/.test(line));
}

/** The text that JSON stands for: a text, a list of texts, or the first item of Check Setup. */
function unpacked(text: string): string {
	const json = withoutComma(text.replace(/^\s*"?enter"?\s*:/, ''));
	const [first, ...others] = [parsedJson(json) ?? parsedJson(`[${json}]`)].flat(Infinity);
	const texts = isObject(first) ? [first.enter].flat() : [first, ...others];
	return texts.every((one) => typeof one === 'string') ? texts.join('\n') : text;
}

/** The label that a line begins with, or that its own is most like; undefined where none is. */
function nearest(line: string, labels: string[]): string | undefined {
	const said = line.replace(DECORATION, '');
	const own = lettersOf(said.split(/[:=]/)[0]).slice(0, 40);
	const isNear = (label: string) => lettersOf(said).startsWith(label) || label.endsWith(own);
	const alike = own === '' ? [] : labels.filter((label) => isNear(lettersOf(label)));
	if (alike.length === 1) return alike[0];
	const distances = labels.map((label) => ({ label, edits: editsBetween(own, lettersOf(label)) }));
	const [best] = distances.sort((one, other) => one.edits - other.edits);
	return best.edits <= best.label.length / 3 ? best.label : undefined;
}

/** How many letters have to be added, removed or replaced to make one text of the other (Levenshtein). */
function editsBetween(one: string, other: string): number {
	let row = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (const [line, letter] of [...one].entries()) {
		const next = [line + 1];
		for (const [index, wanted] of [...other].entries()) {
			const replaced = row[index] + (letter === wanted ? 0 : 1);
			next.push(Math.min(replaced, row[index + 1] + 1, next[index] + 1));
		}
		row = next;
	}
	return row[other.length];
}
