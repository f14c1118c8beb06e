/** Waiting for extractions: its options, and what becomes of those that are unfinished, or perhaps so. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { finding, noteIn, type CallError } from '../service/callError';
import { addHint, needsAttention, type Client } from '../service/client';
import { counted, fewOf, redact, sentences } from '../http/redact';
import type { BeforeStart } from '../waiting/verdict';
import type { Sign } from '../account/account';
import { lineOf } from '../account/apiDetails';
import { failsForGood, waitForExtraction, type Waited } from '../waiting/wait';
import { failedAfter, wordsOf } from '../messages/words';
import { MOST_NAMED } from './operation';

const DEFAULT_MAX_WAIT_S = 300;
const DEFAULT_SETTLE_S = 3;

export const waitOptions: INodeProperties[] = [
	{
		displayName: 'Max Wait (Seconds)',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_WAIT_S,
		description:
			'How long to wait. After that, the extraction continues at the service, and you can fetch the results later.',
	},
	{
		displayName: 'On Timeout',
		name: 'onTimeout',
		type: 'options',
		options: [
			{
				name: 'Fail',
				value: 'fail',
				description: 'The item fails',
			},
			{
				name: 'Return Status',
				value: 'status',
				description: 'The item continues, with finished: false and the last status',
			},
		],
		default: 'fail',
		description:
			"What to do if the extraction is not finished after Max Wait. If by then the node has read values of a document that had none before, or the extraction is probably over, the item usually continues with complete: false, whichever option you choose. With 'Finished Statuses' in the credential, this is rare.",
	},
	{
		displayName: 'Settle Time (Seconds)',
		name: 'settleTime',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_SETTLE_S,
		description:
			'How long, as a rule, the status or the results must stay unchanged before an extraction counts as finished. If the node knows that every column of a newly uploaded document has a value, it does not wait this long, unless the status or the workflow shows that the extraction continues. If the node has reason to doubt that the extraction is finished, e.g. because it sees only results, and they lack values, it usually waits up to ten times as long.',
	},
];

/** A document, or the workflow, that was waited for, and what its output item says of that. */
export interface Awaited extends Waited {
	state: {
		finished: boolean;
		/** The last status of a document, or else of the workflow; null where none was seen. */
		extractionStatus: IDataObject | null;
		/** Where the extraction may not be finished. */
		complete?: false;
	};
	/** Why it failed, or is not finished, unless the user wants the last status instead of an error. */
	failure?: Error;
}

/** The error about a document whose status is one of 'Failed Statuses'. */
function failedByStatus({ account }: Client, { id, status, entry }: Waited): Error | undefined {
	if (!account.failedStatuses.has(String(status))) return undefined;
	return finding(
		[
			`The extraction failed (status: ${shownStatus(status)})`,
			`Document ${redact(id)} has this status, which is one of 'Failed Statuses' in the credential.`,
			'Open the file: if it is damaged, protected by a password or hardly readable, upload a better copy.',
			"If it is fine, extract the document again with Extraction › Extract Documents and 'Force'.",
		],
		{ said: noteIn(entry, account.apiKey) },
	);
}

/** A status as messages show it: its form is not shown (interface.md §3). */
function shownStatus(status: unknown): string | undefined {
	if (status === undefined || status === null) return undefined;
	return redact(typeof status === 'object' ? JSON.stringify(status) : String(status));
}

/**
 * Waits for an extraction as long as an item's options allow, and hints at what may not be finished.
 * @param documentIds none for all in the workflow
 * @param before what was known before it was started; undefined if somebody else started it
 * @param columnIds the columns that are extracted; none for all
 * @param nameOf the name to show for a document's ID
 */
export async function waitFor(
	client: Client,
	documentIds: string[],
	before: BeforeStart | undefined,
	columnIds: string[],
	options: IDataObject,
	nameOf: (id: string) => string = (id) => id,
): Promise<Awaited[]> {
	const { maxWait = DEFAULT_MAX_WAIT_S, settleTime = DEFAULT_SETTLE_S, onTimeout } = options;
	const limits = { maxWaitMs: Number(maxWait) * 1000, settleMs: Number(settleTime) * 1000 };
	const waited = await waitForExtraction(client, documentIds, before, columnIds, limits);
	const areNamed = documentIds.length > 0;
	const doubtful = waited.filter(({ verdict }) => verdict.isDoubtful).map(({ id }) => id);
	needsAttention(client.context, 'may be incomplete', doubtful.length);
	if (doubtful.length > 0) {
		const names = doubtful.map((id) => (areNamed ? nameOf(id) : `the service's workflow ${id}`));
		const areLacking = waited.every(({ verdict }) => !verdict.isDoubtful || verdict.isLacking);
		const reason = areLacking ? LACKING : REASONS[waited[0].facts.common.sign];
		addHint(
			client.context,
			`May be incomplete: ${fewOf(names, MOST_NAMED)}. Read the results again later with Extraction › Get Many. The items have complete: false, because ${reason}.`,
		);
	}
	const started = 'The extraction was started; only waiting failed. Read the values later.';
	return waited.map((one) => {
		const { isFinished: finished, isDoubtful } = one.verdict;
		const extractionStatus = (one.status ?? one.activity?.status ?? null) as IDataObject | null;
		const state: Awaited['state'] = { finished, extractionStatus };
		if (isDoubtful) state.complete = false;
		// A status that may be an old one does not tell that this extraction failed.
		const isOfThis = before?.documents === 'new' || (finished && !isDoubtful);
		const failure = isOfThis ? failedByStatus(client, one) : undefined;
		if (failure || finished) return { ...one, state, failure };
		if (failsForGood(one) && one.error)
			return { ...one, state, failure: failedAfter(one.error, before ? started : '') };
		if (onTimeout === 'status') return { ...one, state };
		return { ...one, state, failure: timeoutError(client, one, Number(maxWait), areNamed) };
	});
}

/** The error about an extraction that was not finished in time. */
function timeoutError(
	{ account }: Client,
	{ id, facts, status, activity, results, entry, error: lastFailure }: Waited,
	maxWaitS: number,
	isDocument: boolean,
): CallError {
	const own = isDocument ? shownStatus(status) : undefined;
	const last = own ?? shownStatus(status ?? activity?.status);
	const whose = own === undefined ? ' that of the workflow at the service' : '';
	const finished = [...account.finishedStatuses];
	const isNotFinal = own !== undefined && finished.length > 0 && !finished.includes(String(status));
	const isIdle = !lastFailure && activity !== undefined && !facts.wasRunning;
	const isUnseen = !lastFailure && isDocument && last === undefined && activity === undefined;
	return finding(
		[
			`The extraction was not finished after ${counted(maxWaitS, 'second')}`,
			isDocument && `The node waited for document ${redact(id)}.`,
			last !== undefined && `The last status that the node saw was${whose}: ${last}.`,
			lastFailure && `When the node last checked, this happened: ${wordsOf(lastFailure).message}.`,
			isNotFinal &&
				'If it means that the extraction is over (your account team knows), change the line to',
			isNotFinal && `'${lineOf('finishedStatuses', [...finished, own].join(', '))}'.`,
			isIdle && 'After the start, the node never saw the workflow at the service extracting.',
			isIdle && 'There may have been nothing left to extract.',
			isUnseen && (finished.length > 0 ? NO_STATUS : NO_SIGN),
			'The extraction may still be running: fetch its results later with Extraction › Get Many.',
			"If extractions often take this long, raise 'Max Wait' in the options.",
		],
		// Without results, only the list of documents tells a failed document from one that holds no values.
		{ said: noteIn(results.length === 0 ? entry : undefined, account.apiKey) },
	);
}

const NO_STATUS =
	"The node found no status for it: check the ID or, after an upload, 'Document ID Field'.";
const NO_SIGN = sentences(
	"Only with 'Finished Statuses' in the credential, the node can tell an empty extraction",
	'from one that is still running.',
);

const LACKING =
	'a value is empty, or other documents have one that is missing here, and it did not come in ten Settle Times';

/** Why it cannot be told whether an extraction is over, by the sign that there is, and what to do. */
const REASONS: { [sign in Sign]: string } = {
	statuses:
		"the node could not be sure: Max Wait ended too early, or each time the node looked, the status was already one of 'Finished Statuses', so the values may be the old ones. For the next run, raise Max Wait",
	workflow:
		"the workflow at the service shows only whether it is extracting, and not which documents, so some documents may still be in its queue or lack values. Fill in 'Finished Statuses' in the credential: the node then looks at each document (in Extract Documents, also enter Document IDs). If it is filled in already, raise Max Wait",
	results:
		"the node saw only the results, and could not tell which value was the last. Fill in 'Finished Statuses' or 'Workflow Endpoint' in the credential: Workflow › Check Setup says what to enter",
};
