/** The facts of a failed call of the service. `messages/` puts them into words. */
import type { Failure } from '../http/failure';
import { LONGEST_RETRY_AFTER_MS } from '../http/limiter';
import { nameInMessage, redact } from '../http/redact';
import { header } from '../http/response';
import type { TimeLimitError } from '../http/transfer';
import type { Client } from './client';
import type { ApiDetail } from '../account/apiDetails';
import { reasonOf, type Reason } from './reason';

/** What failures have in common. All texts are safe to show. */
interface Common {
	statusCode?: number;
	/** What the service, or the storage, says itself. */
	reason?: Reason;
	/** Whether the service may have processed the request all the same. */
	isOutcomeUnknown?: boolean;
	/** Whether the same call may succeed later. */
	mayPass?: boolean;
	/** When to try again at the earliest, as the service asks. */
	retryAfterMs?: number;
	/** The API Details that the call was made from, unless all have worked before in this execution. */
	suspects?: ApiDetail[];
}

/** What was called. */
interface Call {
	/** Which server was called. */
	peer: 'service' | 'storage';
	/** Whether it carries a file. */
	isUpload?: boolean;
	/** The file that it is about. */
	fileName?: string;
	/** Whether it names documents or a collection by IDs, which the node has not found itself. */
	usesEnteredIds?: boolean;
	/** The form field that carries the file. */
	fileField?: string;
	/** What a write changes, which is also where to see whether it was done; undefined for reads. */
	changes?: 'documents' | 'upload URL' | 'confirmation' | 'extraction';
}

/** A call, and on whose behalf it is made. */
export interface CallContext extends Call {
	client: Client;
	/** The API Details that the call is made from. */
	fromDetails?: ApiDetail[];
}

export interface FailedCall extends Call {
	/** Base URL, without a trailing `/` or `/api/v1`. */
	address: string;
	environment: 'test' | 'live';
	workflowId: string;
	suspects: ApiDetail[];
}

/** A response that lacks what the credential names. */
interface LacksField {
	/** The path in the credential. */
	field: string;
	/** The fields that the response has. */
	has: string;
}

type Problem = Extract<Failure, { cause: object }>['kind'];

/** What is known besides, by the kind of the failure. */
interface FactsByKind
	extends Record<
		Problem,
		FailedCall & {
			/** Of the system, e.g. ECONNREFUSED; empty where there is none. */
			code: string;
			/** What it says. */
			text: string;
		}
	> {
	response: FailedCall & {
		statusCode: number;
		/** Whether the service asks for a longer pause than the node makes. */
		isPauseTooLong: boolean;
		/** The new address of a redirect; empty where none is given. */
		location: string;
		/** Whether a proxy has responded, which made no connection to the peer. */
		isFromProxy?: boolean;
	};
	'time limit': FailedCall & Pick<TimeLimitError, 'phase' | 'limitMs'>;
	/** n8n does not give a file that it keeps. */
	'file unreadable': { fileName: string; text: string };
	'no page of results': object;
	/** Pages that are not those of the list; without numbers where rows or whole pages are repeated. */
	'list without pages': { asked?: number; came?: number };
	/** The results that were asked for are those of another document. */
	'another document': { asked: string; came: string };
	'list that changes': object;
	'not the workflow': { workflowId: string };
	'no upload URL': LacksField & {
		fileName: string;
		/** Whether the service refused this file, rather than the field being wrong. */
		isRefusal: boolean;
	};
	'unsafe upload URL': LacksField & { problem: string };
	'no document ID': LacksField & {
		fileName: string;
		/** Whether the file was sent. */
		isUpload: boolean;
		/** Whether other responses had one, so that only the file can be to blame. */
		isOnlyHere: boolean;
	};
	'no file to download': object;
	/** The status of a document is one of 'Failed Statuses'. */
	'extraction failed': { status?: string; documentId: string };
	/** Waiting ended before the extraction did. */
	'not finished': {
		maxWaitS: number;
		/** Undefined where the whole workflow was waited for. */
		documentId?: string;
		/** The last status that was seen, and whether it is not the document's own. */
		status?: string;
		isOfWorkflow?: boolean;
		/** 'Finished Statuses', where it lacks the status of the document. */
		finished?: string[];
		/** Why it cannot be told: no sign tells, the document has no status, or the workflow never extracted. */
		unclear: 'no sign' | 'no status' | 'idle workflow' | false;
		/** Why the last look failed. */
		lastFailure?: string;
	};
}

export type Kind = keyof FactsByKind;
export type Facts<K extends Kind = Kind> = {
	[One in K]: { kind: One } & Common & FactsByKind[One];
}[K];

/** A call of the service that failed; the node turns it into one of n8n's errors. */
export class CallError extends Error {
	/** @param about what was called for whom, for the log: users read the words that are made of the facts */
	constructor(
		readonly facts: Facts,
		about = '',
	) {
		super(about === '' ? facts.kind : `${about}: ${facts.kind}`);
	}
}

/** Whether the service, or the storage, has answered with one of these statuses. */
export function hasStatus(error: Error, ...statuses: number[]): boolean {
	return error instanceof CallError && statuses.includes(error.facts.statusCode ?? 0);
}

/** Whether a response was larger than the node reads. */
export function isTooLarge(error: unknown): boolean {
	return error instanceof CallError && error.facts.kind === 'response too large';
}

/** Whether a write that failed may have been done. */
export function isInDoubt(error: Error | undefined): boolean {
	return error instanceof CallError && error.facts.isOutcomeUnknown === true;
}

/** Whether a call that failed may succeed later. */
export function mayPass(error: Error | undefined): boolean {
	return error instanceof CallError && error.facts.mayPass === true;
}

/** No service answers so, but n8n's own proxy, which lets nothing through (RFC 9110 §15.5.8). */
const PROXY_REFUSES = 407;

export function callError(call: CallContext, failure: Failure): CallError {
	return new CallError(factsOf(call, failure), aboutCall(call));
}

/** What was called for which item and file, e.g. `documents, item 2, data, invoice.pdf`. */
function aboutCall({ client: { position }, changes, fileName }: CallContext): string {
	const [itemIndex, ...steps] = position;
	const item = typeof itemIndex === 'number' ? [`item ${itemIndex + 1}`, ...steps] : [];
	return [
		changes ?? 'read',
		...item,
		...(fileName === undefined ? [] : [nameInMessage(fileName)]),
	].join(', ');
}

function factsOf(call: CallContext, failure: Failure): Facts {
	const { client, fromDetails = [], ...about } = call;
	const { account, workflowId, journal } = client;
	const { address, apiKey, environment } = account;
	const works = (detail: ApiDetail) => journal.workingDetails.has(detail);
	const known = {
		...about,
		address: redact(address),
		environment,
		workflowId: redact(workflowId),
		suspects: fromDetails.every(works) ? [] : fromDetails,
		isOutcomeUnknown: call.changes !== undefined && failure.mayHaveBeenDone,
		mayPass: failure.retry !== 'none',
	};
	switch (failure.kind) {
		case 'response': {
			const { response, retryAfterMs } = failure;
			const { statusCode, isFromProxy = false } = response;
			// What a proxy says, the service has not said.
			const isProxy = isFromProxy || statusCode === PROXY_REFUSES;
			return {
				...known,
				kind: 'response',
				statusCode,
				reason: isProxy ? undefined : reasonOf(response, apiKey),
				retryAfterMs,
				isPauseTooLong: (retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS,
				location: redact(header(response, 'location') ?? ''),
				isFromProxy,
			};
		}
		case 'time limit': {
			const { phase, limitMs } = failure.error;
			return { ...known, kind: failure.kind, phase, limitMs };
		}
		default: {
			const { code = '', message } = failure.cause;
			const { fileName } = call;
			if (failure.kind === 'file not kept' && code === 'ENOENT' && fileName !== undefined)
				return { ...known, kind: 'file unreadable', fileName, text: code };
			return { ...known, kind: failure.kind, code, text: redact(message, apiKey) };
		}
	}
}
