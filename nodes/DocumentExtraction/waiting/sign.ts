/** The sign by which a wait tells that an extraction is over, and what was known before it was started. */
import { UserError } from 'n8n-workflow';

import type { Client } from '../service/client';
import { once } from '../service/call';
import { ifReady, ready, type Sign } from '../account/account';
import { howToFillIn } from '../account/apiDetails';
import { readResults } from '../service/extractions';
import { fewOf } from '../http/redact';
import { readActivity } from '../service/workflow';
import { mapInOrder } from '../http/concurrency';

/**
 * The best sign that the credential offers.
 * @param areNamed whether certain documents are extracted, and not all in the workflow
 * @throws UserError naming the API Detail that is missing or malformed
 */
export function signOf({ account }: Client, areNamed: boolean): Sign {
	if (areNamed) return ready(account.waiting);
	ready(account.workflow);
	return 'workflow';
}

const OTHER_SIGN = `${howToFillIn('finishedStatuses')} Or switch off 'Wait Until Extracted'.`;

/**
 * Checks, before the first request, that there is a sign to wait for.
 * @param areOverwritten whether old results stay visible until new ones replace them
 * @throws UserError naming the API Details that are missing or malformed
 */
export function assertCanWait(client: Client, { areNamed = true, areOverwritten = false } = {}) {
	if (signOf(client, areNamed) !== 'results' || !areOverwritten) return;
	throw new UserError(
		"To wait with 'Force' on, the node needs a line 'Finished Statuses' or 'Workflow Endpoint' in the credential's API Details",
		{
			description: `The old results may stay until the new ones are there, so results alone do not tell when the extraction is over. ${OTHER_SIGN}`,
		},
	);
}

/** What was known before an extraction was started. */
export interface BeforeStart {
	/**
	 * `new`: they had no results, so that any result is from this extraction.
	 * `kept`: values that are there are left alone, so there may be nothing to extract.
	 * `overwritten`: their status may be finished already.
	 * `any`: nothing of this is known.
	 */
	documents: 'new' | 'kept' | 'overwritten' | 'any';
	/** Whether the workflow was already extracting. */
	wasBusy?: boolean;
}

/**
 * Reads, before an extraction of documents at the service is started, the state that a wait compares
 * later states with. Where results are the only sign, there must be none yet.
 * @param documentIds none for all in the workflow
 * @param isForced whether columns that have results are extracted again
 * @throws UserError naming the documents that have results
 */
export async function lookBeforeStart(
	client: Client,
	documentIds: string[],
	isForced: boolean,
): Promise<BeforeStart> {
	const areNamed = documentIds.length > 0;
	const sign = signOf(client, areNamed);
	if (sign === 'statuses') return { documents: isForced ? 'overwritten' : 'any' };
	if (sign === 'workflow') {
		const read = async () => await readActivity(client);
		const { isExtracting: wasBusy } = await once(client, 'workflow before the start', read);
		const isKept = areNamed && !isForced && ifReady(client.account.rows) !== undefined;
		return { documents: isKept ? 'kept' : 'any', wasBusy };
	}
	const results = await mapInOrder(
		documentIds,
		client.maxConcurrency,
		// Only before the first start: a later try would take new results for old ones.
		async (id) =>
			await once(client, `results of ${id} before the start`, async () => {
				return await readResults(client, { documentId: id }, 1);
			}),
	);
	const extracted = documentIds.filter((_, index) => results[index].length > 0);
	if (extracted.length === 0) return { documents: 'new' };
	throw new UserError(
		"To wait for documents that already have results, the node needs a line 'Finished Statuses' or 'Workflow Endpoint' in the credential's API Details",
		{
			description: `The extraction was not started, because these documents have results: ${fewOf(extracted)}. Old results cannot be told from new ones. ${OTHER_SIGN}`,
		},
	);
}
