/** Text that others wrote, made fit for errors, hints and the editor. */

const LONGEST_TEXT = 600;
/** Longer texts are cut before anything is looked for in them. */
const LONGEST_INPUT = 20 * LONGEST_TEXT;

/** n8n renders descriptions and hints as HTML: no text that others wrote may bring markup along. */
export function withoutMarkup(text: string): string {
	return text
		.replace(/</g, '‹')
		.replace(/>/g, '›')
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
}

/**
 * Text fit to be shown: no markup, no query of a URL, which may be signed, bounded in length.
 * @param secrets texts that must not appear, e.g. the API key
 */
export function redact(text: string, ...secrets: string[]): string {
	let safe = text.slice(0, LONGEST_INPUT);
	for (const secret of secrets) if (secret) safe = safe.replaceAll(secret, '***');
	safe = safe.replace(/Bearer\s\S+/gi, 'Bearer ***');
	return shortened(withoutMarkup(safe.replace(/[^\s"'<>]+/g, withoutQuery)));
}

/** A text that somebody can read, however long it was. */
export function shortened(text: string, longest = LONGEST_TEXT): string {
	return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Cuts a word at the question mark of a query, percent-encoded ones included. */
function withoutQuery(word: string): string {
	const mark = /\?|%3f/i.exec(word)?.index ?? -1;
	return mark >= 0 && /=|%3d/i.test(word.slice(mark)) ? `${word.slice(0, mark)}?…` : word;
}

/** A file's name for a message, which has one line. */
export function nameInMessage(name: string): string {
	return shortened(withoutMarkup(name), 80);
}

/** Nobody's response is nested more deeply, and a stack is finite. */
export const DEEPEST_LEVEL = 200;

/**
 * A value of the service, without the signed URLs that it carries: whoever has one may use it.
 * @param known.url a URL that is known to be signed, whatever it looks like
 * @param known.headers the part of the value that holds the headers to use it with
 */
export function withoutSignedUrls(
	value: unknown,
	known: { url?: string; headers?: object } = {},
	depth = 0,
): unknown {
	if (typeof value === 'string') {
		const isSigned = holdsSignedUrl(value) || (known.url && value.includes(known.url));
		return isSigned ? '(signed URL)' : value;
	}
	if (value === null || typeof value !== 'object') return value;
	if (value === known.headers) return '(upload headers)';
	if (depth > DEEPEST_LEVEL) return '(nested too deeply)';
	if (Array.isArray(value)) return value.map((entry) => withoutSignedUrls(entry, known, depth + 1));
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [key, withoutSignedUrls(entry, known, depth + 1)]),
	);
}

function holdsSignedUrl(text: string): boolean {
	return text.split(/\s/).some((word) => {
		const start = word.search(/https?:\/\//i);
		return start >= 0 && word.indexOf('?', start) > start;
	});
}
