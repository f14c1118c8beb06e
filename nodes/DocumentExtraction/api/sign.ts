/** The sign by which a wait tells that an extraction is over, and what it takes to begin one. */
import { UserError } from 'n8n-workflow';

import { mapInOrder } from '../http/concurrency';
import type { Client } from './client';
import { hasDetail } from './details/apiDetails';
import { finishedStatuses } from './details/responses';
import { listed, readDocumentResults } from './extractions';
import { assertCanReadWorkflow, readActivity } from './workflow';

export type Sign = 'statuses' | 'workflow' | 'results';

/** What was known of documents, or of the workflow, before an extraction was started. */
export interface BeforeStart {
	/** Whether a document had no results: then any result is from this extraction. */
	isNew: boolean;
	/** Whether the workflow was extracting for somebody else. */
	wasBusy: boolean;
}

/**
 * The best sign of an extraction that the credential offers.
 * @param areNamed whether certain documents are extracted, and not all in the workflow
 */
export function signOf({ credential }: Client, areNamed: boolean): Sign {
	if (!areNamed) return 'workflow';
	if (finishedStatuses(credential).size > 0) return 'statuses';
	return hasDetail(credential, 'workflowEndpoint') ? 'workflow' : 'results';
}

const OTHER_SIGN =
	"Open the credential and fill in 'Finished Statuses' or 'Workflow Endpoint', or switch off 'Wait Until Extracted'.";

/**
 * Checks, before the first request, that there is a sign to wait by.
 * @param areOverwritten whether results that exist stay visible until new ones take their place
 * @throws UserError naming the API Details that could tell
 */
export function assertCanWait(client: Client, { areNamed = true, areOverwritten = false } = {}) {
	const sign = signOf(client, areNamed);
	if (sign === 'workflow') assertCanReadWorkflow(client);
	if (sign !== 'results' || !areOverwritten) return;
	throw new UserError(
		"Waiting after 'Force' needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
		{
			description: `The old results stay until the new ones are there, so results alone do not tell when the extraction is over. ${OTHER_SIGN}`,
		},
	);
}

/**
 * Looks, before an extraction of what is at the service already is started, at what its signs will
 * be compared with. Where results are the only sign, there must be none yet.
 * @param documentIds none for all in the workflow
 * @throws UserError naming the documents that have results
 */
export async function lookBeforeStart(client: Client, documentIds: string[]): Promise<BeforeStart> {
	const sign = signOf(client, documentIds.length > 0);
	if (sign === 'statuses') return { isNew: false, wasBusy: false };
	if (sign === 'workflow') {
		return { isNew: false, wasBusy: (await readActivity(client)).isExtracting };
	}
	const results = await mapInOrder(
		documentIds,
		client.maxConcurrency,
		async (id) => await readDocumentResults(client, id, 1),
	);
	const extracted = documentIds.filter((_, index) => results[index].length > 0);
	if (extracted.length === 0) return { isNew: true, wasBusy: false };
	throw new UserError(
		"Waiting for documents that have results already needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
		{
			description: `Nothing was started. These documents have results: ${listed(extracted)}. Old results cannot be told from new ones. ${OTHER_SIGN}`,
		},
	);
}
