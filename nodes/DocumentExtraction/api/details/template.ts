/** JSON bodies with placeholders, for endpoints whose payload the interface leaves open. */
import { roundedIntegerIn } from '../../http/json';
import type { DocumentExtractionCredential } from '../credential';
import type { Placeholder } from './apiDetails';
import { mistake, requireDetail } from './detail';
import { levelsOf } from './fields';
import { checkPlaceholders, PLACEHOLDER, type PlaceholderValues } from './placeholders';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** No body needs more, and walking through it must not exhaust the stack. */
const DEEPEST_TEMPLATE = 50;

/** What Workflow › Check Setup writes for a value that the user has to enter. */
const STAND_IN = /^<(?:string|number|integer|boolean|object|any|one of)\b[^<]*>$/;

/**
 * @throws UserError when it is empty, no JSON object or list, has a placeholder that is none, or a
 * value that still is to be entered
 */
export function parseTemplate(
	credential: DocumentExtractionCredential,
	detail: 'uploadUrlBody' | 'confirmBody',
): Json {
	const text = requireDetail(credential, detail);
	checkPlaceholders(detail, text);
	let template: Json;
	try {
		template = JSON.parse(text) as Json;
	} catch {
		throw mistake(
			detail,
			'is not valid JSON. Placeholders need quotes too, e.g. {"size": "{file_size}"}',
		);
	}
	if (template === null || typeof template !== 'object') {
		throw mistake(detail, 'must be a JSON object or list');
	}
	const integer = roundedIntegerIn(text);
	if (integer !== undefined) {
		throw mistake(
			detail,
			`holds ${integer}, a number with more digits than can be sent. Put it in double quotes`,
		);
	}
	const levels = [...levelsOf(template)];
	if (levels.length > DEEPEST_TEMPLATE) {
		throw mistake(detail, `is nested more than ${DEEPEST_TEMPLATE} levels deep`);
	}
	const left = levels.flat().find((value) => typeof value === 'string' && STAND_IN.test(value));
	if (left !== undefined) {
		throw mistake(
			detail,
			`still has "${left as string}" in it. Enter a placeholder or a value there, or leave the property out`,
		);
	}
	return template;
}

/** Whether a placeholder stands anywhere in a template. */
export function mentions(template: Json, placeholder: Placeholder): boolean {
	return JSON.stringify(template).includes(`{${placeholder}}`);
}

function isRepeated(list: Json[]): boolean {
	return list.length === 1 && mentions(list[0], 'document_id');
}

/** What differs from document to document. */
const OF_ONE_DOCUMENT: Placeholder[] = ['document_id', 'file_name', 'content_type', 'file_size'];

/** Whether something outside the lists that are repeated speaks of one document only. */
export function speaksOfOne(template: Json): boolean {
	if (typeof template === 'string') {
		return OF_ONE_DOCUMENT.some((placeholder) => mentions(template, placeholder));
	}
	if (template === null || typeof template !== 'object') return false;
	if (Array.isArray(template) && isRepeated(template)) return false;
	return Object.values(template).some(speaksOfOne);
}

function fillText(text: string, values: PlaceholderValues): string | number | undefined {
	const whole = /^\{(\w+)\}$/.exec(text);
	if (whole) return values[whole[1] as Placeholder];
	const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as Placeholder);
	const missing = names.find((name) => values[name] === undefined);
	if (missing && names.includes('document_id')) {
		throw mistake('confirmBody', `needs a value for {${missing}} besides {document_id}`);
	}
	if (missing) return undefined;
	return text.replace(PLACEHOLDER, (_, name: Placeholder) => String(values[name]));
}

/**
 * A template with its values. A list whose one entry mentions {document_id} is repeated for each
 * document; everything else takes the values of the first one.
 */
export function fill(template: Json, documents: PlaceholderValues[]): Json | undefined {
	if (typeof template === 'string') return fillText(template, documents[0]);
	if (Array.isArray(template)) {
		const entries = isRepeated(template)
			? documents.map((document) => fill(template[0], [document]))
			: template.map((entry) => fill(entry, documents));
		return entries.filter((entry) => entry !== undefined);
	}
	if (template === null || typeof template !== 'object') return template;
	return Object.fromEntries(
		Object.entries(template)
			.map(([key, value]) => [key, fill(value, documents)] as const)
			.filter((entry): entry is [string, Json] => entry[1] !== undefined),
	);
}
