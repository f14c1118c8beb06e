/** Waiting for extractions: its options, and messages about those that are unfinished, or perhaps so. */
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { CallError } from '../service/callError';
import type { Client } from '../service/client';
import { addHint } from '../service/run';
import { fewOf } from '../service/sentences';
import { failsForGood } from '../waiting/polling';
import type { Doubt, Verdict } from '../waiting/verdict';
import type { Waited } from '../waiting/wait';
import { redact } from '../http/redact';
import { wordsOf } from '../messages/words';
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
				description: 'The item fails with its last status, unless a file has some of its values',
			},
			{
				name: 'Return Status',
				value: 'status',
				description: 'The item continues, with its ID and the last status',
			},
		],
		default: 'fail',
		description: 'What to do with documents that are not finished after Max Wait',
	},
	{
		displayName: 'Settle Time (Seconds)',
		name: 'settleTime',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_SETTLE_S,
		description:
			'How long results must stay unchanged before they count as complete. If each column is known to have a value, the node does not wait. If values are missing and nothing else tells that the extraction is over, it waits ten times as long.',
	},
];

/** In ms: how long an item's options allow to wait, and how long results must stay the same. */
export function waitLimits({
	maxWait = DEFAULT_MAX_WAIT_S,
	settleTime = DEFAULT_SETTLE_S,
}: IDataObject) {
	return { maxWaitMs: Number(maxWait) * 1000, settleMs: Number(settleTime) * 1000 };
}

/** The last status of a document, or else of the workflow; null where none was seen. */
export function lastStatus({ status, workflow }: Waited): IDataObject | null {
	return (status ?? workflow?.status ?? null) as IDataObject | null;
}

/**
 * Why an extraction is not finished: looks fail for good, or time was up; undefined where it is, or
 * where the user wants the last status instead of an error when time is up.
 * @param documentId undefined where the whole workflow was waited for
 */
export function unfinishedError(
	{ account }: Client,
	{ maxWait = DEFAULT_MAX_WAIT_S, onTimeout }: IDataObject,
	waited: Waited,
	documentId?: string,
): Error | undefined {
	const { status, verdict, error: lastFailure } = waited;
	if (verdict.isFinished) return undefined;
	if (failsForGood(waited)) return lastFailure;
	if (onTimeout === 'status') return undefined;
	const last = lastStatus(waited);
	// Its form is not shown (interface.md §3).
	const shown = redact(typeof last === 'object' ? JSON.stringify(last) : String(last));
	const isDocument = documentId !== undefined;
	const finished = [...account.finishedStatuses];
	const isSeen = isDocument && status !== undefined && status !== null;
	const isUnlisted = isSeen && !finished.includes(String(status));
	// Results alone do not tell an empty document from an unfinished one.
	const hasSign = 'ready' in account.workflow || finished.length > 0;
	return new CallError({
		kind: 'not finished',
		maxWaitS: Number(maxWait),
		documentId: documentId && redact(documentId),
		status: last === null ? undefined : shown,
		finished: isUnlisted ? finished : undefined,
		isUndecided: isDocument && last === null && !hasSign,
		lastFailure: isDocument && lastFailure ? wordsOf(lastFailure).message : undefined,
	});
}

/** Why it cannot be told whether an extraction is over. */
const REASONS: { [doubt in Doubt]: string } = {
	time: 'Max Wait ended before the results had stayed the same for long enough',
	pieces:
		"their values came one after another; to know when the last one is there, the node needs 'Finished Statuses' or 'Workflow Endpoint' in the credential",
	'old status':
		'their status already meant finished before the extraction was started, and did not change since, so the values may be the old ones',
	workflow:
		"the workflow does not tell which documents it extracts, so these may still be waiting; to know, the node needs 'Finished Statuses' in the credential",
};

/** The field of an item whose extraction may not be finished; none where it certainly is. */
export function doubtField({ doubt }: Verdict): IDataObject {
	return doubt ? { complete: false } : {};
}

/**
 * Hints at extractions that may not be finished.
 * @param nameOf the name to show for the ID of a document or of the workflow
 */
export function hintAtDoubts(
	context: IExecuteFunctions,
	waited: Waited[],
	nameOf: (id: string) => string = (id) => id,
) {
	for (const [doubt, reason] of Object.entries(REASONS)) {
		const ids = waited.flatMap(({ id, verdict }) => (verdict.doubt === doubt ? [id] : []));
		if (ids.length === 0) continue;
		addHint(
			context,
			`May be incomplete: ${fewOf(ids.map(nameOf), MOST_NAMED)}. The items have complete: false, because ${reason}.`,
		);
	}
}
