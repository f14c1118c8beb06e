/** How sure the service is of a document's values: what stands beside them, where Rows says `~ path`. */
import type { IDataObject } from 'n8n-workflow';

/** Whether a confidence can be compared. */
export const isShare = (confidence: unknown): confidence is number =>
	typeof confidence === 'number' && confidence >= 0 && confidence <= 1;

/**
 * How the confidences of a run are read: a number is a share, or a percentage where one is above 1, and
 * all others are 0 or from 1 to 100. What is no number stays as it is.
 */
export function shareReader(confidences: unknown[]): (confidence: unknown) => unknown {
	const numbers = confidences.map(Number).filter(Number.isFinite);
	const isPercent =
		numbers.some((one) => one > 1) && numbers.every((one) => one === 0 || (one >= 1 && one <= 100));
	return (confidence) => {
		const number = Number(confidence);
		if (Number.isNaN(number)) return confidence;
		return isPercent ? Number((number / 100).toFixed(6)) : number;
	};
}

/** The lowest that can be compared, or else the first. */
export function lowest(confidences: unknown[]): unknown {
	const shares = confidences.filter(isShare);
	// Not with a spread: JavaScript limits the arguments of a call.
	return shares.length > 0 ? shares.reduce((least, one) => Math.min(least, one)) : confidences[0];
}

/** A field of an item, and how sure the service is of its value; undefined where it does not say. */
export type Rated = [field: string, confidence: unknown];

/** What an item says of confidences: that of each field that has one, and the lowest. */
export function confidenceFields(rated: Rated[]): IDataObject {
	const known = rated.filter(([, confidence]) => confidence !== undefined);
	const least = lowest(known.map(([, confidence]) => confidence));
	return {
		confidence: Object.fromEntries(known) as IDataObject,
		lowestConfidence: isShare(least) ? least : null,
	};
}
