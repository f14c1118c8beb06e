import type { DocumentExtractionCredential } from '../credential';
import { hasDetail } from './detail';
import { uploadFileField } from './directUpload';
import { parseEndpoint } from './endpoint';
import { fieldPath } from './fields';
import { ALL_DETAILS, type ApiDetail } from './apiDetails';
import { resultFields } from './responses';
import { confirmTemplate } from './signedUpload';
import { parseTemplate } from './template';

type Check = (credential: DocumentExtractionCredential) => unknown;

const anything: Check = () => undefined;

/** Those that are not the name of a field, or a path to one, in a response. */
const CHECKS: { [detail in ApiDetail]?: Check } = {
	uploadFileField,
	workflowEndpoint: (credential) => parseEndpoint(credential, 'workflowEndpoint'),
	finishedStatuses: anything,
	uploadUrlEndpoint: (credential) => parseEndpoint(credential, 'uploadUrlEndpoint'),
	uploadUrlBody: (credential) => parseTemplate(credential, 'uploadUrlBody'),
	// Chosen from a list.
	confirmMethod: anything,
	confirmBody: confirmTemplate,
	columnNameField: resultFields,
	columnValueField: resultFields,
};

/**
 * Checks the form of an API Detail; an empty one has none that could be wrong.
 * @throws UserError naming the field and what is wrong with it
 */
function assertWellFormed(credential: DocumentExtractionCredential, detail: ApiDetail) {
	if (!hasDetail(credential, detail)) return;
	const check = CHECKS[detail] ?? (() => fieldPath(credential, detail));
	check(credential);
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
