/**
 * What an OpenAPI document says about each API Detail. There is a single value only where the
 * document leaves no choice; where several fit, all are listed and none is preferred.
 */
import { sentences } from '../../../sentences';
import type { OpenApiDocument } from '../document';
import { hasMorePaths, operationsOf } from '../operations';
import { createSchemaReader } from '../schemas';
import { findConfirmation } from './confirmation';
import { findDirectUpload } from './directUpload';
import { findFinishedStatuses } from './finishedStatuses';
import type { Findings } from './found';
import type { Reference } from './reference';
import { findResultFields } from './resultFields';
import { findUploadUrl } from './uploadUrl';
import { uploadUrlCandidates } from './uploadUrlCandidates';
import { findWorkflowEndpoint, operationsReturningWorkflow } from './workflowEndpoint';

const NOT_WHOLE =
	'The document is too large or too deeply nested to be read completely: it may say more.';

/**
 * What the document says about every API Detail.
 * @param about.baseUrl the credential's Base URL: paths are told relative to its /api/v1
 */
export function findDetails(
	document: OpenApiDocument,
	about: { baseUrl: string; workflowId: string },
): Findings {
	const reader = createSchemaReader(document);
	const reference: Reference = { document, reader, operations: operationsOf(document, about) };
	const returningWorkflow = operationsReturningWorkflow(reference);
	const candidates = uploadUrlCandidates(reference, returningWorkflow);
	// All share one limit of steps: what is read last is what a document too large leaves open.
	const findings: Findings = {
		...findDirectUpload(reference),
		workflowEndpoint: findWorkflowEndpoint(reference, returningWorkflow),
		finishedStatuses: findFinishedStatuses(reference),
		...findUploadUrl(reference, candidates),
		...findConfirmation(reference),
		...findResultFields(reference),
	};
	if (reader.isExhausted() || hasMorePaths(document)) {
		for (const found of Object.values(findings)) {
			found.note = sentences(found.note, NOT_WHOLE);
		}
	}
	return findings;
}
