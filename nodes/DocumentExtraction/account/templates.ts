/** Requests whose endpoints and bodies the user has entered, with their placeholders filled in. */
import type { IDataObject } from 'n8n-workflow';

import { detailError, type ApiDetail } from './apiDetails';
import {
	mentions,
	PLACEHOLDER,
	type Endpoint,
	type Json,
	type Placeholder,
	type Template,
} from './parse';

/** A placeholder without a value is left out of a body. */
export type PlaceholderValues = { [name in Placeholder]?: string | number };

/**
 * An endpoint, relative to /api/v1, with its placeholders filled in and encoded.
 * @param detail the API Detail that it comes from
 * @throws UserError when a placeholder has no value, or would lead to another path
 */
export function filledEndpoint(
	{ method, path }: Endpoint,
	detail: 'workflowEndpoint' | 'uploadUrlEndpoint',
	values: PlaceholderValues,
): Endpoint {
	const filled = path.replace(PLACEHOLDER, (placeholder, name: Placeholder) => {
		const value = String(values[name] ?? '');
		// Dots alone would lead to another path.
		if (/^\.*$/.test(value)) throw emptyPlaceholder(detail, placeholder);
		return encodeURIComponent(value);
	});
	return { method, path: filled };
}

/** The error about a placeholder that cannot be left out where it stands. */
const emptyPlaceholder = (detail: ApiDetail, placeholder: string) =>
	detailError(detail, `contains ${placeholder}, for which this node has no usable value`, {
		description: [
			`Fill in the field of this node that ${placeholder} stands for, or remove it from the credential's line.`,
			"For {collection_id}, choose 'Collection' by ID or from the list; for {collection_name}, by name.",
		].join(' '),
	});

/**
 * Fills a body with the values of one document, or of several if `namesOneDocument` is false. A list whose
 * one entry mentions {document_id} is repeated for each; everything else takes the values of the first.
 */
export function filledBody(template: Template, documents: PlaceholderValues[]): IDataObject {
	return fill(template, documents) as IDataObject;
}

function isRepeated(list: Json[]): boolean {
	return list.length === 1 && mentions(list[0], 'document_id');
}

/** What differs from document to document. */
const OF_ONE_DOCUMENT: Placeholder[] = ['document_id', 'file_name', 'content_type', 'file_size'];

/** Whether something outside the lists that are repeated belongs to a single document. */
export function namesOneDocument(template: Json): boolean {
	if (typeof template === 'string') {
		return OF_ONE_DOCUMENT.some((placeholder) => mentions(template, placeholder));
	}
	if (template === null || typeof template !== 'object') return false;
	if (Array.isArray(template) && isRepeated(template)) return false;
	return Object.values(template).some(namesOneDocument);
}

function fill(template: Json, documents: PlaceholderValues[]): Json | undefined {
	if (typeof template === 'string') return filledText(template, documents[0]);
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

/** A text that is one placeholder becomes its value, number or text; one whose value is missing is left out. */
function filledText(text: string, values: PlaceholderValues): string | number | undefined {
	const whole = /^\{(\w+)\}$/.exec(text);
	if (whole) return values[whole[1] as Placeholder];
	const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as Placeholder);
	const missing = names.find((name) => values[name] === undefined);
	if (missing && names.includes('document_id')) {
		throw emptyPlaceholder('confirmBody', `{${missing}}`);
	}
	if (missing) return undefined;
	return text.replace(PLACEHOLDER, (_, name: Placeholder) => String(values[name]));
}
