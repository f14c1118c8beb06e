/** The sign by which a wait tells that an extraction is over, and what was known before it was started. */
import { UserError } from 'n8n-workflow';

import type { Client } from '../service/client';
import { ifReady, ready, type Sign } from '../account/account';
import { once } from '../service/journal';
import { groupedByDocument, readResults } from '../service/extractions';
import { fewOf } from '../service/sentences';
import { readActivity } from '../service/workflow';
import { mapInOrder } from '../http/concurrency';
import type { Documents } from '../rows/values';

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

const OTHER_SIGN =
	"Open the credential and fill in 'Finished Statuses' or 'Workflow Endpoint', or switch off 'Wait Until Extracted'.";

/**
 * Checks, before the first request, that there is a sign to wait for.
 * @param areOverwritten whether old results stay visible until new ones replace them
 * @throws UserError naming the API Details that are missing or malformed
 */
export function assertCanWait(client: Client, { areNamed = true, areOverwritten = false } = {}) {
	const sign = signOf(client, areNamed);
	if (sign !== 'results' || !areOverwritten) return;
	throw new UserError(
		"Waiting after 'Force' needs 'Finished Statuses' or 'Workflow Endpoint' in the credential",
		{
			description: `The old results stay until the new ones are there, so results alone do not tell when the extraction is over. ${OTHER_SIGN}`,
		},
	);
}

/** What was known before an extraction was started. */
export interface BeforeStart {
	/**
	 * `new`: they had no results, so that any result is from this extraction.
	 * `kept`: values that are there are left alone, so that nothing may be left to extract.
	 * `overwritten`: their status may be finished already.
	 * `any`: nothing of this is known.
	 */
	documents: 'new' | 'kept' | 'overwritten' | 'any';
	/** Whether the workflow was already extracting. */
	wasBusy?: boolean;
	/** By which the columns of new documents are told. */
	earlier?: EarlierDocuments;
}

/** The documents that were there before; none where it is not known where results hold values. */
interface EarlierDocuments {
	readAt: number;
	documents: Promise<Documents>;
}

/** So many results show the columns. */
const MOST_RESULTS = 100;

/** The documents of the workflow's latest results, with these. */
export async function latestDocuments(client: Client): Promise<Documents> {
	const results = await readResults(client, {}, MOST_RESULTS);
	return new Map(
		groupedByDocument(client, {}, results).flatMap(({ documentId, results }) =>
			documentId === undefined ? [] : [[documentId, results] as const],
		),
	);
}

/** Begins to read documents before a run adds its own. */
function readEarlierDocuments(client: Client): EarlierDocuments | undefined {
	if (!ifReady(client.account.rows)) return undefined;
	const documents = latestDocuments({ ...client, isLook: true }).catch(() => new Map());
	return { readAt: performance.now(), documents };
}

/**
 * Begins to read what a wait for documents that are yet to be uploaded compares them with.
 * @param end when nobody waits any more
 */
export function lookBeforeUpload(client: Client, end: AbortSignal): BeforeStart {
	if (signOf(client, true) === 'workflow') return { documents: 'new' };
	const stop = client.stop ? AbortSignal.any([client.stop, end]) : end;
	return { documents: 'new', earlier: readEarlierDocuments({ ...client, stop }) };
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
	if (extracted.length === 0) {
		const read = async () => readEarlierDocuments(client);
		return { documents: 'new', earlier: await once(client, 'results before the start', read) };
	}
	throw new UserError(
		"Waiting for documents that have results already needs 'Finished Statuses' or 'Workflow Endpoint' in the credential",
		{
			description: `Nothing was started. These documents have results: ${fewOf(extracted)}. Old results cannot be told from new ones. ${OTHER_SIGN}`,
		},
	);
}
