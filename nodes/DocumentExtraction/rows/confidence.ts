/** How sure the service is of a document's values: what stands beside them, where Rows says `~ path`. */
import type { IDataObject } from 'n8n-workflow';

import { meant, partAt, partsAt, type Place, type Rows } from '../account/rows';
import { isNothing, type ColumnValue } from './rows';

/** The confidences of a run. */
export interface Ratings {
	/** The lowest of some: a number from 0 to 1, or else whatever the service gives; undefined for none. */
	lowestOf: (confidences?: unknown[]) => unknown;
	/** A confidence that is no number from 0 to 1, nor a percentage as all others; undefined for none. */
	unclear: unknown;
}

/** Numbers count as percentages where there is one above 1, and all others are 0 or from 1 to 100. */
export function ratingsIn(values: ColumnValue[]): Ratings {
	const all = values.flatMap(({ confidences = [] }) => confidences.flat());
	const numbers = all.flatMap((one) => numberIn(one) ?? []);
	const isPercent =
		numbers.some((one) => one > 1) && numbers.every((one) => one === 0 || (one >= 1 && one <= 100));
	const shareIn = (confidence: unknown): unknown => {
		const number = numberIn(confidence);
		if (number === undefined) return confidence;
		return isPercent ? Number((number / 100).toFixed(6)) : number;
	};
	return {
		lowestOf: (confidences = []) => lowest(confidences.map(shareIn)),
		unclear: all.find((one) => !isShare(shareIn(one))),
	};
}

/**
 * What an item says of confidences: for each column, and the lowest.
 * @param rated each with its field in the item
 */
export function confidenceFields(rated: Array<[field: string, confidence: unknown]>): IDataObject {
	const least = lowest(rated.map(([, confidence]) => confidence));
	return {
		confidence: Object.fromEntries(rated) as IDataObject,
		lowestConfidence: isShare(least) ? least : null,
	};
}

/** Whether a confidence can be compared. */
export const isShare = (confidence: unknown): confidence is number =>
	typeof confidence === 'number' && confidence >= 0 && confidence <= 1;

/** The lowest that can be compared, or the first. Not with a spread: JavaScript limits the arguments of a call. */
function lowest(confidences: unknown[]): unknown {
	const shares = confidences.filter(isShare);
	return shares.length > 0
		? shares.reduce((least, one) => Math.min(least, one))
		: confidences.at(0);
}

function numberIn(value: unknown): number | undefined {
	const isNumber = typeof value === 'string' ? value.trim() !== '' : typeof value === 'number';
	return isNumber && Number.isFinite(Number(value)) ? Number(value) : undefined;
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
