/** JSON whose long numbers keep their digits. */

/** What may be a number with more digits than JavaScript's numbers keep; it may also be part of a string. */
const LONG_NUMBER = /-?\d[\d.]{15,}(?:[eE][+-]?\d+)?/g;

/** What may stand before and after a number in JSON. */
const BEFORE = /[\s:,[]/;
const AFTER = /[\s,\]}]/;

/**
 * The parsed JSON; undefined where the text is not JSON. A number that JavaScript would round, such as
 * a long ID or amount, becomes a string of its digits: rounded, it would be something else.
 */
export function parsedJson(text: string): unknown {
	try {
		const json: unknown = JSON.parse(text);
		const kept = withRoundedNumbers(text, (number) => `"${number}"`);
		return kept === text ? json : JSON.parse(kept);
	} catch {
		return undefined;
	}
}

/** The first number of a valid JSON text that JavaScript would round; undefined where there is none. */
export function roundedNumberIn(json: string): string | undefined {
	let first: string | undefined;
	withRoundedNumbers(json, (number) => {
		first ??= number;
		return number;
	});
	return first;
}

/** A valid JSON text with each number that JavaScript would round replaced. */
function withRoundedNumbers(json: string, replacement: (number: string) => string): string {
	let isInText = false;
	let quote = json.indexOf('"');
	return json.replace(LONG_NUMBER, (number, offset: number) => {
		if (!BEFORE.test(json[offset - 1] ?? ' ')) return number;
		if (!AFTER.test(json[offset + number.length] ?? ' ')) return number;
		if (!isRounded(number)) return number;
		for (; quote >= 0 && quote < offset; quote = json.indexOf('"', quote + 1)) {
			if (!isInText || !isEscaped(json, quote)) isInText = !isInText;
		}
		return isInText ? number : replacement(number);
	});
}

/** In digits: others print a number of JavaScript's kind with at most so many. */
const MOST_DIGITS = 100;

/** Whether JavaScript's number, printed with as many digits, is another one. */
function isRounded(number: string): boolean {
	const value = Number(number);
	if (Number.isInteger(value) && /^-?\d+$/.test(number)) return !Number.isSafeInteger(value);
	const digits = digitsOf(number);
	if (digits === '') return false;
	return digits.length > MOST_DIGITS || digitsOf(value.toPrecision(digits.length)) !== digits;
}

/** The digits that count, wherever the point is. */
function digitsOf(number: string): string {
	return number
		.replace(/[eE].*/, '')
		.replace(/[-.]/g, '')
		.replace(/^0+/, '');
}

function isEscaped(json: string, position: number): boolean {
	let backslashes = 0;
	while (json[position - 1 - backslashes] === '\\') backslashes++;
	return backslashes % 2 === 1;
}
