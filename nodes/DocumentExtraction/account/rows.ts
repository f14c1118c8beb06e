/** Rows, the language of one line in which a user says where results hold their values. */
import { parsedJson } from '../http/response';
import { isObject, isOuter, ownValue } from './fields';
import { MalformedDetailError } from './parse';

/** Stands for every part of a list or an object: `[*]`. */
export const EACH: unique symbol = Symbol('[*]');

/** A field's name, the place in a list, or every part. */
export type Step = string | number | typeof EACH;

/** The way from an outer value to one within it; without steps, it leads to the outer value itself. */
export type Path = Step[];

/** Where the entry of a column holds the column's name. */
export interface NamePath {
	path: Path;
	/**
	 * What is there is no name, but tells the workflow's columns apart: it is the value of the path's last
	 * step in one of them (e.g. its `column_id`), whose name stands in this field.
	 */
	columnField?: string;
}

/** Values at one place of each result. */
export interface Place {
	path: Path;
	/** Undefined where columns are called after the fields that hold their values. */
	name?: NamePath;
	/** Where an entry or a box holds its value, the first that holds something; none where it is the value. */
	values: Path[];
	/** Where it says how sure the service is of the value; left out where it does not. */
	confidence?: Path;
}

/** Where results hold their values; never without a place. */
export interface Rows {
	places: Place[];
}

const FIELD = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s.:=|+@~"[\]]+)`;
const INDEX = String.raw`\[(?:\d+|\*)\]`;
const PATH = String.raw`(?:\.|(?:${FIELD}|${INDEX})(?:\s*\.\s*${FIELD}|\s*${INDEX})*)`;
/** A place, and the `+` before the next one. */
const PLACE = [
	String.raw`\s*(?<path>${PATH})\s*`,
	String.raw`(?::\s*(?<name>${PATH})\s*(?:@\s*(?<columnField>${FIELD})\s*)?)?`,
	String.raw`(?:=\s*(?<values>${PATH}\s*(?:\|\s*${PATH}\s*)*)(?:~\s*(?<confidence>${PATH})\s*)?)?`,
	String.raw`(?<next>\+|$)`,
].join('');

/**
 * Parses `place + place`, where a place is `path`, `path = value`, `path: name = value`; a value may have
 * alternatives, `one | other`, and a confidence beside it, `value ~ confidence`. A path is `.` or steps such
 * as `pages[*].cells`; a step with other signs stands in double quotes.
 * @throws MalformedDetailError
 */
export function parseRows(text: string): Rows {
	const reader = new RegExp(PLACE, 'sy');
	const places: Place[] = [];
	let next: string | undefined;
	do {
		const rest = text.slice(reader.lastIndex).trim();
		const parts = reader.exec(text)?.groups;
		if (!parts) throw unreadable(rest);
		places.push(placeFrom(parts));
		next = parts.next;
	} while (next);
	return { places };
}

const unreadable = (rest: string) =>
	new MalformedDetailError(
		[
			rest ? `cannot be read from '${rest}' on.` : 'is not complete.',
			'Copy a whole line from the choices of Workflow › Check Setup. It names the field with the values,',
			"e.g. 'values', or 'cells: name = value' for a list of columns",
		].join(' '),
	);

/** @param parts the named groups of PLACE, of which those that are not there are undefined */
function placeFrom(parts: { [group: string]: string | undefined }): Place {
	const { path = '', name, columnField, values = '', confidence } = parts;
	const place: Place = { path: pathIn(path), values: (values.match(PATHS) ?? []).map(pathIn) };
	if (name !== undefined) place.name = { path: pathIn(name) };
	if (place.name && columnField !== undefined) place.name.columnField = String(stepIn(columnField));
	if (confidence !== undefined) place.confidence = pathIn(confidence);
	return place;
}

const PATHS = new RegExp(PATH, 'gs');
const STEPS = new RegExp(`${FIELD}|${INDEX}`, 'gs');

const pathIn = (text: string): Path => (text.match(STEPS) ?? []).map(stepIn);

function stepIn(text: string): Step {
	if (text === '[*]') return EACH;
	if (text.startsWith('[')) return Number(text.slice(1, -1));
	const field = text.startsWith('"') ? parsedJson(text) : text;
	if (typeof field !== 'string') throw unreadable(text);
	return field;
}

/** The text that a user enters for it. */
export function rowsText({ places }: Rows): string {
	return places.map(placeText).join(' + ');
}

function placeText({ path, name, values, confidence }: Place): string {
	const title = name?.columnField === undefined ? '' : `@${stepText(name.columnField)}`;
	const named = name ? `: ${pathText(name.path)}${title}` : '';
	const valued = values.length > 0 ? ` = ${values.map(pathText).join(' | ')}` : '';
	return `${pathText(path)}${named}${valued}${confidence ? ` ~ ${pathText(confidence)}` : ''}`;
}

/** A path as it stands in Rows. */
export function pathText(path: Path): string {
	const text = path.map((step) =>
		typeof step === 'string' ? `.${stepText(step)}` : stepText(step),
	);
	return text.join('').replace(/^\./, '') || '.';
}

function stepText(step: Step): string {
	if (step === EACH) return '[*]';
	if (typeof step === 'number') return `[${step}]`;
	return /^[^\s.:=|+@~"[\]]+$/.test(step) ? step : JSON.stringify(step);
}

/** What a path leads to, `[*]` to each part. A text that is JSON counts as what it stands for. */
export function partsAt(outer: unknown, path: Path): unknown[] {
	let parts = [outer];
	for (const step of path) {
		parts = parts.map(meant).flatMap((part) => {
			if (step !== EACH) return [ownValue(part, String(step))];
			return isOuter(part) ? (Object.values(part) as unknown[]) : [];
		});
	}
	return parts.filter((part) => part !== undefined);
}

/** What a path leads to: a list, where it has `[*]` and leads not just to one plain value. */
export function partAt(outer: unknown, path: Path): unknown {
	if (path.includes(EACH)) {
		const parts = partsAt(outer, path);
		return parts.length < 2 && !isObject(parts[0]) ? parts[0] : parts;
	}
	return path.reduce<unknown>((part, step) => ownValue(meant(part), String(step)), outer);
}

/** The object or the list that a text stands for, or what there is. */
export function meant(value: unknown): unknown {
	if (typeof value !== 'string' || !/^\s*[[{`]/.test(value)) return value;
	// Language models put fences around JSON.
	const json = parsedJson(value.replace(/^\s*```(?:json)?|```\s*$/g, ''));
	return isOuter(json) ? json : value;
}

/** Objects and lists in a result that hold its values: what is in them says nothing about the result. */
export function holdersIn(result: unknown, rows: Rows | undefined): Set<unknown> {
	const ways = (rows?.places ?? []).flatMap(({ path, name, values }) =>
		path.length > 0 || !name ? [path] : values,
	);
	return new Set(ways.filter((way) => way.length > 0).flatMap((way) => partsAt(result, way)));
}
