/** JSON whose long integers keep their digits. */

/** Digits that may be an integer too long for JavaScript's numbers; they may also be part of a string. */
const LONG_INTEGER = /-?\d{16,}/g;

/** What may stand before and after an integer in JSON. */
const BEFORE = /[\s:,[]/;
const AFTER = /[\s,\]}]/;

/**
 * The parsed JSON; undefined where the text is not JSON. An integer that JavaScript would round, such
 * as a long ID, becomes a string of its digits: rounded, it would be the ID of something else.
 */
export function parsedJson(text: string): unknown {
	try {
		const json: unknown = JSON.parse(text);
		if (!hasRoundedNumber(json)) return json;
		return JSON.parse(withRoundedIntegers(text, (integer) => `"${integer}"`));
	} catch {
		return undefined;
	}
}

/** Whether a number is too large to have all its digits. Looking at the numbers is quicker than searching the text. */
function hasRoundedNumber(json: unknown): boolean {
	// However deep the JSON is, and however many parts a list has.
	const open = [json];
	while (open.length > 0) {
		const value = open.pop();
		if (typeof value === 'number') {
			if (Number.isInteger(value) && !Number.isSafeInteger(value)) return true;
		} else if (typeof value === 'object' && value !== null) {
			for (const part of Object.values(value)) open.push(part);
		}
	}
	return false;
}

/** The first integer of a valid JSON text that JavaScript would round; undefined where there is none. */
export function roundedIntegerIn(json: string): string | undefined {
	let first: string | undefined;
	withRoundedIntegers(json, (integer) => {
		first ??= integer;
		return integer;
	});
	return first;
}

/** A valid JSON text with each integer that JavaScript would round replaced. */
function withRoundedIntegers(json: string, replacement: (integer: string) => string): string {
	let isInText = false;
	let quote = json.indexOf('"');
	return json.replace(LONG_INTEGER, (integer, offset: number) => {
		if (!BEFORE.test(json[offset - 1] ?? ' ')) return integer;
		if (!AFTER.test(json[offset + integer.length] ?? ' ')) return integer;
		for (; quote >= 0 && quote < offset; quote = json.indexOf('"', quote + 1)) {
			if (!isInText || !isEscaped(json, quote)) isInText = !isInText;
		}
		return isInText || Number.isSafeInteger(Number(integer)) ? integer : replacement(integer);
	});
}

function isEscaped(json: string, position: number): boolean {
	let backslashes = 0;
	while (json[position - 1 - backslashes] === '\\') backslashes++;
	return backslashes % 2 === 1;
}
