/** What to say where an extraction was not finished in time. */
import type { IDataObject } from 'n8n-workflow';

import { CallError } from '../api/callError';
import { sentences } from '../api/run';
import type { Waited } from '../api/waiting/wait';
import { redact } from '../http/redact';
import { DEFAULT_MAX_WAIT_S } from './fields/waiting';

/** The status that was last seen of a document, or else of the workflow; null where there was none. */
export function lastStatus({ status, workflow }: Waited): IDataObject {
	return (status ?? workflow?.status ?? null) as IDataObject;
}

export function documentTimeout(
	{ maxWait }: IDataObject,
	documentId: string,
	{ status = null, workflow, lastFailure }: Waited,
): CallError {
	return timeout(
		maxWait,
		`Document ${documentId}`,
		status ?? workflow?.status,
		lastFailure?.message,
		status !== null &&
			"If that status means that the extraction is over, add it to 'Finished Statuses' in the credential.",
	);
}

export function workflowTimeout(
	{ maxWait }: IDataObject,
	{ workflow, sawExtracting }: Waited,
): CallError {
	return timeout(
		maxWait,
		'The workflow',
		workflow?.status,
		undefined,
		!sawExtracting &&
			'The node did not see it extracting: the extraction may still be waiting its turn, or there was nothing to extract.',
	);
}

function timeout(
	maxWait: unknown,
	subject: string,
	status: unknown,
	lastFailure: string | undefined,
	hint: string | false,
): CallError {
	return new CallError({
		message: `The extraction was not finished after ${Number(maxWait ?? DEFAULT_MAX_WAIT_S)} seconds`,
		description: redact(
			sentences(
				status === undefined || status === null
					? `${subject}: the node saw no status.`
					: `${subject}, last status: ${String(status)}.`,
				lastFailure !== undefined && `The last look at it failed: ${lastFailure}.`,
				"The extraction itself goes on: fetch the results later with Extraction › Get Many, or raise 'Max Wait' in the options.",
				hint,
			),
		),
	});
}
