/**
 * What an OpenAPI document says about each API Detail. A value is found alone only where the
 * document fixes it; where several fit, all are listed and none is preferred.
 */
import type { OpenApiDocument } from '../document';
import { hasMorePaths, operationsOf } from '../operations';
import { createSchemaReader } from '../schemas';
import { confirmation } from './confirmation';
import { directUpload } from './directUpload';
import { finishedStatuses } from './finishedStatuses';
import type { Findings } from './found';
import type { Reference } from './reference';
import { resultFields } from './resultFields';
import { uploadUrl } from './uploadUrl';
import { uploadUrlCandidates } from './uploadUrlCandidates';
import { describingWorkflow, workflowEndpoint } from './workflowEndpoint';

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
	const describing = describingWorkflow(reference);
	const candidates = uploadUrlCandidates(reference, describing);
	// All share one limit of steps: what is read last is what a document too large leaves open.
	const findings: Findings = {
		...directUpload(reference),
		workflowEndpoint: workflowEndpoint(reference, describing),
		finishedStatuses: finishedStatuses(reference),
		...uploadUrl(reference, candidates),
		...confirmation(reference),
		...resultFields(reference),
	};
	if (reader.isExhausted() || hasMorePaths(document)) {
		for (const found of Object.values(findings)) {
			found.note = found.note ? `${found.note} ${NOT_WHOLE}` : NOT_WHOLE;
		}
	}
	return findings;
}
