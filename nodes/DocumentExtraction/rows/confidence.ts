/** How sure the service is of a document's values: what stands beside them, where Rows says `~ path`. */
import type { IDataObject } from 'n8n-workflow';

import { isObject, type JsonObject } from '../account/fields';
import { EACH, meant, partAt, partsAt, type Path, type Place, type Rows } from '../account/rows';
import { DEEPEST_LEVEL } from '../http/redact';
import { isEmpty, isNothing, rowsReader, type ColumnValue } from './rows';

/** A value with its confidence: a number from 0 to 1, or else whatever the service gives. */
export interface RatedValue extends ColumnValue {
	/** The value itself, as it was given. */
	own: ColumnValue;
	/** Of a table, and of any other list: the lowest. */
	confidence: unknown;
	/** Of a table: the lowest confidence in each of its rows. */
	ofRows: unknown[];
}

export interface ConfidenceReader {
	/** The values that have a confidence; empty values are left out. */
	rate: (results: unknown[], values: ColumnValue[]) => RatedValue[];
	/** A confidence that is no number from 0 to 1, nor a percentage as all others; undefined for none. */
	unclear: unknown;
}

/**
 * Confidences are read as values are: each takes the place of its value, and the row is read once more.
 * Numbers count as percentages where there is one above 1, and all others are 0 or from 1 to 100.
 * @param known as for `rowsReader`
 * @param documents the results of each document of the run, and the values that they have
 * @param columns as for `rowsReader`
 * @returns undefined where Rows names no confidence
 */
export function confidenceReader(
	rows: Rows,
	known: unknown[],
	documents: Array<{ results: unknown[]; values: ColumnValue[] }>,
	columns: JsonObject[],
): ConfidenceReader | undefined {
	const places = rows.places.filter(({ confidence }) => confidence);
	if (places.length === 0) return undefined;
	const marked = (result: unknown) =>
		places.reduce<unknown>((one, place) => {
			const within = (part: unknown) => withConfidences(part, place, undefined);
			return changed(one, place.path, (holder) => {
				// Without names, the fields of the holder are columns, and so are those of a table's rows.
				const way: Path = Array.isArray(meant(holder)) ? [EACH, EACH] : [EACH];
				return place.name ? within(holder) : changed(holder, way, within);
			});
		}, result);
	const { readable } = rowsReader(rows, known.map(marked), columns);
	const pairsOf = (results: unknown[], values: ColumnValue[]) => {
		const cells = readable(results.map(marked));
		return values.flatMap((own, index) =>
			cells[index]?.column === own.column ? [{ own, beside: cells[index].value }] : [],
		);
	};
	const all = documents
		.flatMap(({ results, values }) => pairsOf(results, values))
		.flatMap(({ own, beside }) => confidencesIn(own.value, beside));
	const numbers = all.flatMap((one) => numberIn(one) ?? []);
	const isPercent =
		numbers.some((one) => one > 1) && numbers.every((one) => one === 0 || (one >= 1 && one <= 100));
	const shareIn = (confidence: unknown): unknown => {
		const number = numberIn(confidence);
		if (number === undefined) return confidence;
		return isPercent ? Number((number / 100).toFixed(6)) : number;
	};
	const lowestOf = (value: unknown, beside: unknown): unknown => {
		const confidences = confidencesIn(value, beside).map(shareIn);
		const shares = confidences.filter(isShare);
		return shares.length > 0 ? lowest(shares) : confidences.at(0);
	};
	return {
		rate: (results, values) =>
			pairsOf(results, values).flatMap(({ own, beside }): RatedValue[] => {
				const { value } = own;
				const confidence = lowestOf(value, beside);
				if (confidence === undefined) return [];
				const ofRows =
					Array.isArray(value) && Array.isArray(beside)
						? value.map((row, index) => lowestOf(row, beside[index]))
						: [];
				return [{ ...own, own, confidence, ofRows }];
			}),
		unclear: all.find((one) => !isShare(shareIn(one))),
	};
}

/**
 * What an item says of confidences: for each column, and the lowest.
 * @param rated each with its field in the item
 */
export function confidenceFields(rated: Array<[field: string, confidence: unknown]>): IDataObject {
	const shares = rated.map(([, confidence]) => confidence).filter(isShare);
	return {
		confidence: Object.fromEntries(rated) as IDataObject,
		lowestConfidence: shares.length > 0 ? lowest(shares) : null,
	};
}

/** Whether a confidence can be compared. */
export const isShare = (confidence: unknown): confidence is number =>
	typeof confidence === 'number' && confidence >= 0 && confidence <= 1;

/** Of numbers up to 1. Not with a spread: JavaScript limits the arguments of a call. */
const lowest = (shares: number[]) => shares.reduce((least, one) => Math.min(least, one), 1);

const isPlain = (value: unknown) =>
	typeof value === 'number' || (typeof value === 'string' && value !== '');

function numberIn(value: unknown): number | undefined {
	const isNumber = typeof value === 'string' ? value.trim() !== '' : typeof value === 'number';
	return isNumber && Number.isFinite(Number(value)) ? Number(value) : undefined;
}

/** Stands before a confidence in place of a value: no service sends it. */
const MARK = '\0';

/**
 * A result in which each plain value has its confidence in its place.
 * @param outer the confidence of the box around it, e.g. a table's, which counts where cells have none
 */
function withConfidences(part: unknown, place: Place, outer: unknown, depth = 0): unknown {
	const held = meant(part);
	if (held === null || typeof held !== 'object' || depth > DEEPEST_LEVEL) {
		return outer === undefined || isNothing(part) ? part : MARK + JSON.stringify(outer);
	}
	const within = (inner: unknown, confidence = outer) =>
		withConfidences(inner, place, confidence, depth + 1);
	const way = place.values.find((path) => !isNothing(partAt(held, path)));
	const own = place.confidence && partAt(held, place.confidence);
	// A row may have a column of this name.
	const isBox = way && (isPlain(own) || !isObject(partAt(held, way)));
	// An entry without a value keeps its name.
	if (!isBox && place.name && partAt(held, place.name.path) !== undefined) return part;
	if (!isBox) return changed(held, [EACH], within);
	return changed(held, way, (value) => within(value, isPlain(own) ? own : outer));
}

/** The same value, changed where a path leads to. */
function changed(outer: unknown, path: Path, change: (part: unknown) => unknown): unknown {
	const [step, ...rest] = path;
	if (step === undefined) return change(outer);
	const held = meant(outer);
	const next = (part: unknown, key: string | number) =>
		step === EACH || String(step) === String(key) ? changed(part, rest, change) : part;
	if (Array.isArray(held)) return held.map(next);
	if (!isObject(held)) return outer;
	return Object.fromEntries(Object.entries(held).map(([key, part]) => [key, next(part, key)]));
}

/** The confidences of all parts of a value that are not empty. */
function confidencesIn(value: unknown, beside: unknown): unknown[] {
	if (isEmpty(value)) return [];
	if (Array.isArray(value) && Array.isArray(beside)) {
		return value.flatMap((part, index) => confidencesIn(part, beside[index]));
	}
	if (isObject(value) && isObject(beside)) {
		return Object.keys(value).flatMap((key) => confidencesIn(value[key], beside[key]));
	}
	const isMarked = typeof beside === 'string' && beside.startsWith(MARK);
	return isMarked ? [JSON.parse(beside.slice(MARK.length)) as unknown] : [];
}

/** The same Rows with the field beside each value that may be its confidence; undefined where there is none. */
export function rowsWithConfidence({ places }: Rows, results: unknown[]): Rows | undefined {
	const rated = places.map((place): Place => {
		const boxes = results
			.flatMap((result) => partsAt(result, place.path))
			.map(meant)
			.flatMap((holder) => [holder, ...Object.values(Object(holder) as object)])
			.filter((box) => place.values.some((way) => way.length > 0 && !isNothing(partAt(box, way))));
		const taken = new Set([...place.values, place.name?.path ?? []].map((way) => way[0]));
		const confidence = Object.entries(Object(boxes[0]) as object)
			.filter(([key]) => !taken.has(key))
			.flatMap(([key, part]) => [
				[key],
				...Object.keys(Object(part) as object).map((inner) => [key, inner]),
			])
			.find((way) => areConfidences(boxes.map((box) => partAt(box, way))));
		return confidence ? { ...place, confidence } : place;
	});
	return rated.some(({ confidence }) => confidence) ? { places: rated } : undefined;
}

/** Whether these may be confidences: shares, or percentages that are no numbers of pages. */
function areConfidences(values: unknown[]): boolean {
	const numbers = values.filter((value): value is number => typeof value === 'number');
	if (numbers.length < values.length || numbers.some((one) => one < 0 || one > 100)) return false;
	const isAnyAbove = (least: number) => numbers.some((one) => one > least);
	return isAnyAbove(1)
		? isAnyAbove(10) && new Set(numbers).size > 1
		: numbers.some((one) => !Number.isInteger(one));
}
