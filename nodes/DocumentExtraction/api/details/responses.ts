/** Where responses hold what the node looks for. */
import type { DocumentExtractionCredential } from '../credential';
import { missing, requireDetail } from './detail';
import { fieldPath, namesAnotherDocument, textIn } from './fields';
import { API_DETAILS } from './apiDetails';

/** As the interface itself names a document (§2); the credential's default. */
export const DOCUMENT_ID = 'document_id';

/** Where responses name a document; unless the user says otherwise, as the interface does. */
export function documentIdField(credential: DocumentExtractionCredential): string {
	return fieldPath(credential, 'documentIdField') ?? DOCUMENT_ID;
}

/**
 * The ID of the document that an upload has made, or undefined where there is none under the field
 * that the user named: that of another document must not pass for it.
 */
export function uploadedIdIn(
	credential: DocumentExtractionCredential,
	response: unknown,
): string | undefined {
	return idIn(response, documentIdField(credential));
}

/** The ID under a field; by a bare name never that of another document, e.g. one that was there before. */
export function idIn(response: unknown, field: string): string | undefined {
	return textIn(response, field, (outer) =>
		Object.entries(outer)
			.filter(([name]) => !namesAnotherDocument(name))
			.map(([, part]) => part as unknown),
	);
}

/**
 * The ID of the one document that an entry of a list speaks of, or undefined where there is none. What
 * the user entered may be a path that fits the responses to uploads alone.
 */
export function documentIdIn(
	credential: DocumentExtractionCredential,
	entry: unknown,
): string | undefined {
	return uploadedIdIn(credential, entry) ?? idIn(entry, DOCUMENT_ID);
}

/**
 * Where the response of the upload URL endpoint holds the URL.
 * @throws UserError when the API Detail is empty or no field
 */
export function uploadUrlField(credential: DocumentExtractionCredential): string {
	return fieldPath(credential, 'uploadUrlField') ?? requireDetail(credential, 'uploadUrlField');
}

/** The signed URL in a response, or undefined where the field is not there. */
export function uploadUrlIn(
	credential: DocumentExtractionCredential,
	response: unknown,
): string | undefined {
	return textIn(response, uploadUrlField(credential));
}

/**
 * Where a result holds its values: in an object of column → value, or in one entry per column with
 * a field for the column's name and one for its value.
 */
export interface ResultFields {
	values?: string;
	column?: { name: string; value: string };
}

/**
 * The fields of results that the user has named, as names or paths that `valueIn` takes.
 * @throws UserError when one is no field, or only one of name and value is filled in
 */
export function resultFields(credential: DocumentExtractionCredential): ResultFields {
	const values = fieldPath(credential, 'valuesField');
	const name = fieldPath(credential, 'columnNameField');
	const value = fieldPath(credential, 'columnValueField');
	if (name !== undefined && value !== undefined) return { values, column: { name, value } };
	if (name === undefined && value === undefined) return { values };
	const [filled, empty] =
		name === undefined
			? (['columnValueField', 'columnNameField'] as const)
			: (['columnNameField', 'columnValueField'] as const);
	throw missing(empty, `'${API_DETAILS[filled].label}' does not work without it`);
}
