/** Signed uploads (interface.md §4.3, §4.4), of which only the path of the confirmation is shown. */
import type { IDataObject } from 'n8n-workflow';

import type { DocumentExtractionCredential } from '../credential';
import { detailText, hasDetail, mistake, requireDetail } from './detail';
import { endpoint } from './endpoint';
import { fieldPath } from './fields';
import { SIGNED_DETAILS } from './apiDetails';
import type { PlaceholderValues } from './placeholders';
import { documentIdField, uploadUrlField } from './responses';
import { fill, mentions, parseTemplate, speaksOfOne } from './template';

/** The body that asks for one signed upload URL, or undefined where the endpoint takes none. */
export function uploadUrlBody(
	credential: DocumentExtractionCredential,
	file: PlaceholderValues,
): IDataObject | undefined {
	if (!hasDetail(credential, 'uploadUrlBody')) return undefined;
	return fill(parseTemplate(credential, 'uploadUrlBody'), [file]) as IDataObject;
}

/** Whether one confirm call can name many documents. */
export function confirmsManyAtOnce(credential: DocumentExtractionCredential): boolean {
	return !speaksOfOne(confirmTemplate(credential));
}

/** The body that confirms these documents; more than one only if `confirmsManyAtOnce`. */
export function confirmBody(
	credential: DocumentExtractionCredential,
	documents: PlaceholderValues[],
): IDataObject {
	return fill(confirmTemplate(credential), documents) as IDataObject;
}

/**
 * Checks that a signed upload URL can be asked for, before the first request: every API Detail that
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
	uploadUrlField(credential);
	fieldPath(credential, 'uploadHeadersField');
	documentIdField(credential);
	if (hasDetail(credential, 'uploadUrlBody')) parseTemplate(credential, 'uploadUrlBody');
	const carriers = (['uploadUrlEndpoint', 'uploadUrlBody', 'confirmBody'] as const).map((detail) =>
		detailText(credential, detail),
	);
	for (const [name, label] of [
		['collection_id', 'ID'],
		['collection_name', 'name'],
	] as const) {
		if (values[name] === undefined) continue;
		if (!carriers.some((carrier) => carrier.includes(`{${name}}`))) {
			throw mistake(
				'uploadUrlBody',
				`has no place for the collection's ${label} ({${name}}), so a signed upload would lose the collection`,
			);
		}
	}
}

/**
 * Checks that documents can be confirmed, before the first request.
 * @throws UserError naming the API Detail
 */
export function assertConfirm(credential: DocumentExtractionCredential) {
	requireDetail(credential, 'confirmMethod');
	confirmTemplate(credential);
	documentIdField(credential);
}

/**
 * The body of a confirmation, with its placeholders.
 * @throws UserError when it is no JSON or names no document
 */
export function confirmTemplate(credential: DocumentExtractionCredential) {
	const template = parseTemplate(credential, 'confirmBody');
	if (mentions(template, 'document_id')) return template;
	throw mistake('confirmBody', 'does not mention {document_id}');
}

/** Whether API Details for the signed upload have been filled in, even in part. */
export function hasSignedDetails(credential: DocumentExtractionCredential): boolean {
	return SIGNED_DETAILS.some((detail) => hasDetail(credential, detail));
}
