import type { DocumentExtractionCredential } from '../credential';
import { hasDetail, mistake } from './detail';
import { uploadFileField } from './directUpload';
import { parseEndpoint } from './endpoint';
import { fieldPath } from './fields';
import { ALL_DETAILS, type ApiDetail } from './labels';
import { resultFields } from './responses';
import { finishedStatuses } from './statuses';
import { mentions, parseTemplate } from './template';

type Check = (credential: DocumentExtractionCredential) => unknown;

const CHECKS: Record<ApiDetail, Check> = {
	uploadFileField,
	workflowEndpoint: (credential) => parseEndpoint(credential, 'workflowEndpoint'),
	finishedStatuses,
	uploadUrlEndpoint: (credential) => parseEndpoint(credential, 'uploadUrlEndpoint'),
	uploadUrlBody: (credential) => parseTemplate(credential, 'uploadUrlBody'),
	uploadUrlField: (credential) => fieldPath(credential, 'uploadUrlField'),
	// Chosen from a list.
	confirmMethod: () => undefined,
	confirmBody: (credential) => {
		if (!mentions(parseTemplate(credential, 'confirmBody'), 'document_id')) {
			throw mistake('confirmBody', 'does not mention {document_id}');
		}
	},
	documentIdField: (credential) => fieldPath(credential, 'documentIdField'),
	valuesField: (credential) => fieldPath(credential, 'valuesField'),
	columnNameField: resultFields,
	columnValueField: resultFields,
};

/**
 * Checks the form of an API Detail; an empty one has none that could be wrong.
 * @throws UserError naming the field and what is wrong with it
 */
export function assertWellFormed(credential: DocumentExtractionCredential, detail: ApiDetail) {
	if (hasDetail(credential, detail)) CHECKS[detail](credential);
}

/** What is wrong with the form of an API Detail, in words; undefined where nothing is. */
export function problemOf(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
): string | undefined {
	try {
		assertWellFormed(credential, detail);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

/** @throws UserError about the first API Detail that cannot be right */
export function assertAllWellFormed(credential: DocumentExtractionCredential) {
	for (const detail of ALL_DETAILS) assertWellFormed(credential, detail);
}
