/** Parts of messages, hints and log lines. */

export function counted(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/**
 * The first of some names or parts of a message, and how many more there are.
 * @param and what stands before that number
 */
export function fewOf(parts: string[], most = 20, separator = ', ', and = ' and'): string {
	const rest = parts.length - most;
	return `${parts.slice(0, most).join(separator)}${rest > 0 ? `${and} ${rest} more` : ''}`;
}

/** The sentences that apply, as one text. */
export function sentences(...parts: Array<string | false | null | undefined>): string {
	return parts.filter(Boolean).join(' ');
}

/** The paragraphs that apply, as one text. */
export function paragraphs(...parts: Array<string | false | null | undefined>): string {
	return parts.filter(Boolean).join('\n\n');
}

/** A text that ends like a sentence, so that another one can follow. */
export function asSentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** A time in ms, in seconds. */
export function seconds(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
