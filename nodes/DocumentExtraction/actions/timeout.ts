/** What to say where an extraction was not finished in time. */
import type { IDataObject } from 'n8n-workflow';

import { CallError } from '../api/errors/callError';
import { sentences } from '../api/errors/sentences';
import type { WorkflowWaitedFor } from '../api/waiting/workflow';
import type { DocumentsWaitedFor } from '../api/waiting/documents';
import { redact } from '../http/redact';
import { DEFAULT_MAX_WAIT_S } from './fields/waiting';

/** The status that was last seen of a document, or else of the workflow; null where there was none. */
export function lastStatus(waited: DocumentsWaitedFor, documentId: string): IDataObject {
	const status = waited.statuses.get(documentId) ?? waited.workflowStatus;
	return (status ?? null) as IDataObject;
}

export function documentTimeout(
	{ maxWait }: IDataObject,
	documentId: string,
	waited: DocumentsWaitedFor,
): CallError {
	const own = waited.statuses.get(documentId);
	const isOwn = own !== undefined && own !== null;
	const seen = isOwn
		? `last status: ${String(own)}`
		: `last status: ${String(waited.workflowStatus ?? 'not known')}`;
	return timeout(
		maxWait,
		`Document ${documentId}, ${seen}.`,
		isOwn &&
			"If that status means that the extraction is over, add it to 'Finished Statuses' in the credential.",
	);
}

export function workflowTimeout(
	{ maxWait }: IDataObject,
	{ status, sawExtracting }: WorkflowWaitedFor,
): CallError {
	return timeout(
		maxWait,
		`The workflow, last status: ${String(status ?? 'not known')}.`,
		!sawExtracting &&
			'The node did not see it extracting: the extraction may still be waiting its turn, or there was nothing to extract.',
	);
}

function timeout(maxWait: unknown, what: string, hint: string | false): CallError {
	const advice =
		"The extraction itself goes on: fetch the results later with Extraction › Get Many, or raise 'Max Wait' in the options.";
	return new CallError({
		message: `The extraction was not finished after ${Number(maxWait ?? DEFAULT_MAX_WAIT_S)} seconds`,
		description: redact(sentences(what, advice, hint)),
	});
}
