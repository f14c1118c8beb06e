/** The one road to the service: every call of the node goes through `callService`. */
import type {
	IBinaryData,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { API_PREFIX, CREDENTIAL_TYPE, isPathSegment } from '../api/credential';
import type { ApiDetail } from '../api/details/labels';
import { inputError, type Connection, type Context, isExecution } from './connection';
import {
	failedAnswer,
	failedConnection,
	hasSuccessStatus,
	header,
	isWebPage,
	parsedJson,
	type CallFailure,
	type CallNature,
	type RawAnswer,
} from './errors';
import { backoffMs, LONGEST_RETRY_AFTER_MS, paceFor, type RateSigns } from './pacing';
import { tallyOf } from './progress';
import { pause, stopSignal } from './stop';

const MAX_TRIES = 8;
/** No call is repeated when this time has passed since its first try, in ms. */
const MAX_TOTAL_MS = 300_000;
/** What is read of an answer that should have been a file but is none, in bytes. */
const MAX_TEXT_OF_STREAM = 1_000_000;

/**
 * The node judges every answer itself: n8n's own errors hide what the service said, and it sends a
 * rejected 401 twice. It buffers a body that might be redirected, and lets the key follow.
 */
export const OWN_JUDGEMENT = {
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
};

/** What n8n's type asks for besides the data, and n8n does not read. */
const UNNAMED = { id: '', name: '', type: CREDENTIAL_TYPE };

export type ByteStream = AsyncIterable<Buffer>;

export interface Payload {
	body: IHttpRequestOptions['body'];
	headers: IDataObject;
	/** Lets go of what the body holds, e.g. an open file, when the try is over. */
	discard?: () => void;
	/** Whether the last bytes were handed over: without them, nothing can have been done with the body. */
	isWhole?: () => boolean;
}

export interface ServiceCall {
	method: IHttpRequestMethods;
	/** Relative to /api/v1, with every ID encoded by `pathSegment`. */
	path?: string;
	/** In place of a path: an absolute URL that the service itself named, on its own origin. */
	url?: string;
	query?: IDataObject;
	body?: IDataObject;
	/** Makes the body anew for each try, where it is a stream that can be read only once. */
	payload?: () => Promise<Payload>;
	/** What a definitive success looks like; `any` also accepts an empty answer. */
	answer: 'json' | 'any';
	/** Where a file may answer as well: keeps it, as a part of the try. */
	store?: StoreFile;
	/** Whether the call changes nothing, where its method does not tell: the workflow's may be POST. */
	isRead?: boolean;
	/** The operation that shows whether this write was done, for the user whose write is in doubt. */
	shownBy?: string;
	/** The API Details that say how to make this call, for the user whose call is refused. */
	madeFrom?: ApiDetail[];
}

export type StoreFile = (stream: ByteStream, headers: RawAnswer['headers']) => Promise<IBinaryData>;

export interface ServiceAnswer {
	/** The parsed JSON; undefined for an empty answer and for a file. */
	json: unknown;
	file?: IBinaryData;
}

/**
 * An ID as one segment of a path: encoded, and never one that changes the path.
 * @param label the field of the node's panel that the ID comes from
 */
export function pathSegment(
	context: Context,
	connection: Connection,
	id: string,
	label: string,
): string {
	if (!id.trim()) {
		throw inputError(context, connection.itemIndex, `'${label}' is empty`);
	}
	if (!isPathSegment(id.trim())) {
		throw inputError(context, connection.itemIndex, `'${label}' is not an ID`);
	}
	return encodeURIComponent(id.trim());
}

export function workflowPath(context: Context, connection: Connection): string {
	return `/workflows/${pathSegment(context, connection, connection.workflowId, 'Workflow ID')}`;
}

/**
 * Makes one call of the service, at the pace that all calls with this key share, and repeats it
 * where that cannot do anything twice: reads after a transient failure, writes only when they
 * certainly were not done (interface.md §7).
 * @throws NodeApiError made by `errors.ts`, or the signal's reason when the user presses Stop
 */
export async function callService(
	context: Context,
	connection: Connection,
	call: ServiceCall,
): Promise<ServiceAnswer> {
	const nature: CallNature = {
		isWrite: !(call.isRead ?? call.method === 'GET'),
		shownBy: call.shownBy,
		madeFrom: call.madeFrom,
	};
	const pace = `${connection.address} ${connection.credential.apiKey}`;
	return await exchange(context, connection, nature, pace, {
		payload: call.payload ?? (async () => ({ body: call.body, headers: {} })),
		send: async ({ body, headers }) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL_TYPE,
				{
					method: call.method,
					url: call.url ?? `${connection.address}${API_PREFIX}${call.path ?? ''}`,
					qs: call.query,
					arrayFormat: 'repeat',
					headers: { Accept: call.store ? '*/*' : 'application/json', ...headers },
					...(body === undefined ? {} : { body }),
					encoding: call.store ? 'stream' : 'arraybuffer',
					...OWN_JUDGEMENT,
				},
				// Or n8n reads the credential again for each request, with expressions of the first item.
				{ credentialsDecrypted: { ...UNNAMED, data: connection.credential } },
			)) as IN8nHttpFullResponse,
		judge: async (response) => await judge(context, connection, call, nature, response),
	});
}

/** How a success looks, or why there is none; with what the answer says about the limits. */
export type Judgement<T> = ({ result: T; failure?: undefined } | { failure: CallFailure }) & {
	signs?: RateSigns;
};

/** The three steps of one try. */
export interface Exchange<T> {
	/** Makes the body, anew for each try: a stream can be read only once. */
	payload: () => Promise<Payload>;
	send: (payload: Payload) => Promise<IN8nHttpFullResponse>;
	judge: (response: IN8nHttpFullResponse) => Promise<Judgement<T>>;
}

/**
 * Tries at a shared pace until it succeeds, must not be repeated, or has taken too long.
 * @param paceKey whom the pace is shared with: all that use the same key
 */
export async function exchange<T>(
	context: Context,
	connection: Connection,
	nature: CallNature,
	paceKey: string,
	{ payload, send, judge: judgeResponse }: Exchange<T>,
): Promise<T> {
	const signal = stopSignal(context);
	const attempt = async (): Promise<Judgement<T>> => {
		const body = await payload();
		try {
			// Reading the answer is part of judging it, and may find the connection broken as well.
			return await judgeResponse(await send(body));
		} catch (cause) {
			signal?.throwIfAborted();
			const isUndone = body.isWhole?.() === false;
			return { failure: failedConnection(context, connection, nature, cause, isUndone) };
		} finally {
			body.discard?.();
		}
	};
	// In a list of the editor somebody waits, and can try again.
	const maxTries = isExecution(context) ? MAX_TRIES : 2;
	const pace = paceFor(paceKey);
	let start: number | undefined;
	let refusals = 0;
	for (let tries = 1; ; tries++) {
		const judgement = await pace.run(
			{ maxConcurrency: connection.maxConcurrency, isRepeat: tries > 1, signal },
			async () => {
				start ??= Date.now();
				const result = await attempt();
				return { result, signs: { ...result.signs, isSuccess: !result.failure } };
			},
		);
		if (!judgement.failure) return judgement.result;
		const { error, repeat, retryAfterMs = 0, isRateLimit } = judgement.failure;
		const mayRepeat = repeat === 'always' || (repeat === 'reads' && !nature.isWrite);
		// After a 429 the pace holds everybody back; other failures concern this call alone.
		const waitMs = isRateLimit ? 0 : Math.max(retryAfterMs, backoffMs(tries));
		// A limit may last for minutes, and as one request tries for all of them, only time can tell.
		if (isRateLimit && isExecution(context)) refusals++;
		const triedMs = Math.max(Date.now() - (start ?? 0), isRateLimit ? pace.refusedForMs() : 0);
		if (
			!mayRepeat ||
			tries - refusals >= maxTries ||
			retryAfterMs > LONGEST_RETRY_AFTER_MS ||
			triedMs + waitMs > MAX_TOTAL_MS
		) {
			throw error;
		}
		tallyOf(context).repeated++;
		await pause(waitMs, signal);
	}
}

async function judge(
	context: Context,
	connection: Connection,
	call: ServiceCall,
	nature: CallNature,
	response: IN8nHttpFullResponse,
): Promise<Judgement<ServiceAnswer>> {
	const { answer, file } = call.store
		? await readFile(response, call.store)
		: { answer: rawAnswer(response), file: undefined };
	const signs = rateSigns(answer);
	if (file) return { result: { json: undefined, file }, signs };
	const json = parsedJson(answer.text);
	const isEmpty = answer.text.trim() === '';
	const isSuccess =
		hasSuccessStatus(answer) &&
		!isWebPage(answer) &&
		(json !== undefined || (isEmpty && call.answer === 'any'));
	if (isSuccess) return { result: { json }, signs };
	return failedJudgement(context, connection, nature, answer);
}

/** The judgement of an answer that is no success, whoever gave it. */
export function failedJudgement(
	context: Context,
	connection: Connection,
	nature: CallNature,
	answer: RawAnswer,
): { failure: CallFailure; signs: RateSigns } {
	const failure = failedAnswer(context, connection, nature, answer);
	return { failure, signs: { ...rateSigns(answer), retryAfterMs: failure.retryAfterMs } };
}

/** An answer whose body was read as bytes; one that is a stream has no text yet. */
export function rawAnswer({ statusCode, headers, body }: IN8nHttpFullResponse): RawAnswer {
	const answer = { statusCode, headers: headers as RawAnswer['headers'], text: '' };
	return Buffer.isBuffer(body) ? { ...answer, text: decoded(answer, body) } : answer;
}

/** Bytes as text, in the character set that the answer declares: proxies' pages are not always UTF-8. */
function decoded(answer: RawAnswer, bytes: Buffer): string {
	const charset = /charset\s*=\s*"?([\w-]+)/i.exec(header(answer, 'content-type') ?? '')?.[1];
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return bytes.toString('utf8');
	}
}

/** How every n8n version gives the size of a file without any bytes, which is no file. */
const EMPTY = '0 B';

/** Keeps a file; an answer that speaks of a file or of a failure is read as text instead. */
export async function readFile(
	response: IN8nHttpFullResponse,
	store: StoreFile,
): Promise<{ answer: RawAnswer; file?: IBinaryData }> {
	const answer = rawAnswer(response);
	const stream = response.body as ByteStream;
	const type = header(answer, 'content-type') ?? '';
	if (hasSuccessStatus(answer) && type !== '' && !/json|html|^text\//i.test(type)) {
		const file = await store(stream, answer.headers);
		return file.fileSize === EMPTY ? { answer } : { answer, file };
	}
	return { answer: { ...answer, text: decoded(answer, await firstBytes(stream)) } };
}

async function firstBytes(stream: ByteStream): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		chunks.push(chunk);
		size += chunk.length;
		if (size > MAX_TEXT_OF_STREAM) break;
	}
	return Buffer.concat(chunks);
}

function rateSigns(answer: RawAnswer): RateSigns {
	const count = (name: string) => {
		const value = header(answer, name)?.trim() ?? '';
		return /^\d+$/.test(value) ? Number(value) : undefined;
	};
	return {
		refused: answer.statusCode === 429,
		limit: count('x-ratelimit-limit'),
		remaining: count('x-ratelimit-remaining'),
	};
}
