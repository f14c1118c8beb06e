/** Texts that users read: their parts, and what makes text from the service or from users safe to show. */

const LONGEST_TEXT = 600;
/** Longer texts are cut before they are made safe, but after secrets are removed: half a key is none. */
const LONGEST_INPUT = 20 * LONGEST_TEXT;

/** n8n renders descriptions and hints as HTML, so text from elsewhere must not contain markup. */
export function withoutMarkup(text: string): string {
	return text
		.replace(/</g, '‹')
		.replace(/>/g, '›')
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
}

/** A message as n8n's editor, which renders HTML, shows it: no markup of others, and its lines as lines. */
export function asHtml(message: string): string {
	return message.split('\n').map(withoutMarkup).join('<br>\n');
}

/** What `asHtml` made, as text again, without the distance between its paragraphs. */
export const asText = (html: string) => html.replaceAll('<br>', '').replaceAll('\n\n', ' ');

/**
 * Text that is safe to show: without markup and without queries of URLs, which may be signed, and
 * bounded in length.
 * @param secrets texts that must not appear, e.g. the API key
 */
export function redact(text: string, ...secrets: string[]): string {
	const safe = withoutSecrets(text, ...secrets).slice(0, LONGEST_INPUT);
	return shortened(withoutMarkup(safe.replace(/[^\s"'<>]+/g, withoutQuery)));
}

/** A text without these secrets, and without any bearer token. */
export function withoutSecrets(text: string, ...secrets: string[]): string {
	let safe = text;
	for (const secret of secrets) if (secret) safe = safe.replaceAll(secret, '***');
	return safe.replace(/Bearer\s+\S+/gi, 'Bearer ***');
}

/** A text, cut where it is longer than this. */
export function shortened(text: string, longest = LONGEST_TEXT): string {
	// Not half of a character, which JSON and databases may refuse.
	const cut = text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
	return text.length > longest ? `${cut}…` : text;
}

/** Cuts a word at the question mark of a query, percent-encoded ones included. */
function withoutQuery(word: string): string {
	const mark = /\?|%3f/i.exec(word)?.index ?? -1;
	return mark >= 0 && /:\/\/|=|%3d/i.test(word) ? `${word.slice(0, mark)}?…` : word;
}

/** The last part of a path, on one line. */
export function baseName(path: string): string {
	const name = path.split(/[/\\]/).pop() ?? '';
	return name.replace(/\p{Cc}+/gu, ' ').trim();
}

/** In bytes of UTF-8, as file systems and services limit it. */
const LONGEST_NAME = 255;

/** A name that is not too long, with its extension, and no character cut in two. */
export function shortName(name: string): string {
	if (Buffer.byteLength(name) <= LONGEST_NAME) return name;
	const extension = /\.\w{1,10}$/.exec(name)?.[0] ?? '';
	const stem = Buffer.from(name).subarray(0, LONGEST_NAME - extension.length);
	return `${stem.toString().replace(/\ufffd$/, '')}${extension}`;
}

/** A file's name on one line, for a message. */
export function nameInMessage(name: string): string {
	return shortened(withoutMarkup(name), 80);
}

/** Deeper levels of a value are not followed: no real response has them, and the stack is finite. */
export const DEEPEST_LEVEL = 200;

/**
 * A value from the service without its signed URLs, which work for anyone who has them.
 * @param only the URLs that go, where others are values
 */
export function withoutSignedUrls(value: unknown, only?: ReadonlySet<unknown>, depth = 0): unknown {
	if (typeof value === 'string') {
		return (only?.has(value) ?? holdsSignedUrl(value)) ? '(signed URL)' : value;
	}
	if (value === null || typeof value !== 'object') return value;
	if (depth > DEEPEST_LEVEL) return '(nested too deeply)';
	if (Array.isArray(value)) return value.map((entry) => withoutSignedUrls(entry, only, depth + 1));
	const fields = Object.entries(value).map(([key, entry]) => [
		String(withoutSignedUrls(key, only)),
		withoutSignedUrls(entry, only, depth + 1),
	]);
	return Object.fromEntries(fields) as unknown;
}

function holdsSignedUrl(text: string): boolean {
	return text.split(/\s/).some((word) => {
		const start = word.search(/https?:\/\//i);
		return start >= 0 && word.indexOf('?', start) > start;
	});
}

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
