/** Requests whose endpoints and bodies the user has entered, with their placeholders filled in. */
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

import type { DocumentExtractionCredential } from '../credential';
import {
	API_DETAILS,
	detailError,
	detailText,
	detailValue,
	hasDetail,
	requiredDetail,
	SIGNED_DETAILS,
} from './apiDetails';
import {
	DOT_SEGMENT,
	mentions,
	PLACEHOLDER,
	type Endpoint,
	type Json,
	type Placeholder,
} from './parse';

/** A placeholder without a value is left out of a body. */
export type PlaceholderValues = { [name in Placeholder]?: string | number };

/**
 * An endpoint, relative to /api/v1, with its placeholders filled in and encoded.
 * @throws UserError when it is empty, not of the form METHOD /path, or lacks a placeholder's value
 */
export function endpoint(
	credential: DocumentExtractionCredential,
	detail: 'workflowEndpoint' | 'uploadUrlEndpoint',
	values: PlaceholderValues,
): Endpoint {
	const { method, path } = requiredDetail(credential, detail);
	const filled = path.replace(PLACEHOLDER, (placeholder, name: Placeholder) => {
		const value = values[name];
		if (value === undefined) throw detailError(detail, `has ${placeholder}, which is empty here`);
		return encodeURIComponent(value);
	});
	if (DOT_SEGMENT.test(filled)) throw detailError(detail, `leads elsewhere, filled in: ${filled}`);
	return { method, path: filled };
}

/** Whether API Details for the signed upload have been filled in, even in part. */
export function hasSignedDetails(credential: DocumentExtractionCredential): boolean {
	return SIGNED_DETAILS.some((detail) => hasDetail(credential, detail));
}

/**
 * Checks that a direct upload can be done, before the first request.
 * @throws UserError naming the API Detail
 */
export function assertDirectUpload(credential: DocumentExtractionCredential) {
	requiredDetail(credential, 'uploadFileField');
	detailValue(credential, 'documentIdField');
}

/**
 * Checks that a signed upload URL can be requested, before the first request: every API Detail that
 * this needs, and a place for the collection, which would otherwise be lost silently.
 * @throws UserError naming the API Detail
 */
export function assertSignedUpload(
	credential: DocumentExtractionCredential,
	values: PlaceholderValues,
) {
	endpoint(credential, 'uploadUrlEndpoint', {
		file_name: '',
		content_type: '',
		file_size: 0,
		...values,
	});
	requiredDetail(credential, 'uploadUrlField');
	detailValue(credential, 'uploadHeadersField');
	detailValue(credential, 'documentIdField');
	detailValue(credential, 'uploadUrlBody');
	assertCollectionHasPlace(credential, 'uploadUrlBody', values, [
		'uploadUrlEndpoint',
		'uploadUrlBody',
		'confirmBody',
	]);
}

/**
 * @param detail the API Detail that should have the place
 * @param places those that may have it
 */
function assertCollectionHasPlace(
	credential: DocumentExtractionCredential,
	detail: 'uploadUrlBody' | 'confirmBody',
	values: PlaceholderValues,
	places: Array<'uploadUrlEndpoint' | 'uploadUrlBody' | 'confirmBody'>,
) {
	const texts = places.map((place) => detailText(credential, place));
	const has = (name: string) => texts.some((text) => text.includes(`{${name}}`));
	const [whose, orElse] =
		detail === 'confirmBody'
			? ['The confirmation', 'choose it when the upload URL is created']
			: ['A signed upload', 'upload directly'];
	for (const [name, label, other, otherWay] of [
		['collection_id', 'ID', 'collection_name', "'By Name'"],
		['collection_name', 'name', 'collection_id', "'From List' or 'By ID'"],
	] as const) {
		if (values[name] === undefined || has(name)) continue;
		throw new UserError(`${whose} cannot pass on the collection's ${label}`, {
			description: has(other)
				? `Choose 'Collection' ${otherWay} in the node.`
				: `Leave 'Collection' empty, or ${orElse}. Or, if the endpoint accepts a collection, add {${name}} to '${API_DETAILS[detail].label}' in the credential.`,
		});
	}
}

/**
 * Checks that documents can be confirmed, before the first request.
 * @param values of a collection that the confirmation alone can name
 * @throws UserError naming the API Detail that is missing, wrong, or has no place for the collection
 */
export function assertConfirm(
	credential: DocumentExtractionCredential,
	values: PlaceholderValues = {},
) {
	requiredDetail(credential, 'confirmMethod');
	requiredDetail(credential, 'confirmBody');
	detailValue(credential, 'documentIdField');
	assertCollectionHasPlace(credential, 'confirmBody', values, ['confirmBody']);
}

/** The body that requests one signed upload URL, or undefined where the endpoint takes none. */
export function uploadUrlRequestBody(
	credential: DocumentExtractionCredential,
	file: PlaceholderValues,
): IDataObject | undefined {
	const template = detailValue(credential, 'uploadUrlBody');
	return template && (fill(template, [file]) as IDataObject);
}

/** Whether one confirm call can name many documents. */
export function confirmsManyAtOnce(credential: DocumentExtractionCredential): boolean {
	return !namesOneDocument(requiredDetail(credential, 'confirmBody'));
}

/** The body that confirms these documents; more than one only if `confirmsManyAtOnce`. */
export function confirmationBody(
	credential: DocumentExtractionCredential,
	documents: PlaceholderValues[],
): IDataObject {
	return fill(requiredDetail(credential, 'confirmBody'), documents) as IDataObject;
}

function isRepeated(list: Json[]): boolean {
	return list.length === 1 && mentions(list[0], 'document_id');
}

/** What differs from document to document. */
const OF_ONE_DOCUMENT: Placeholder[] = ['document_id', 'file_name', 'content_type', 'file_size'];

/** Whether something outside the lists that are repeated belongs to a single document. */
function namesOneDocument(template: Json): boolean {
	if (typeof template === 'string') {
		return OF_ONE_DOCUMENT.some((placeholder) => mentions(template, placeholder));
	}
	if (template === null || typeof template !== 'object') return false;
	if (Array.isArray(template) && isRepeated(template)) return false;
	return Object.values(template).some(namesOneDocument);
}

/**
 * A template with its values. A list whose one entry mentions {document_id} is repeated for each
 * document; everything else takes the values of the first one.
 */
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
		throw detailError('confirmBody', `has {${missing}}, which is empty here, beside {document_id}`);
	}
	if (missing) return undefined;
	return text.replace(PLACEHOLDER, (_, name: Placeholder) => String(values[name]));
}
