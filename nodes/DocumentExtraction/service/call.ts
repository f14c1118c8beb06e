/** Makes all requests: those with the key by `callService` alone. */
import { UserError } from 'n8n-workflow';
import type {
	IBinaryData,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { settled, settleInOrder, type Outcome } from '../http/concurrency';
import {
	makeRequest,
	RequestError,
	type HttpRequest,
	type ReadResponse,
	type RequestOptions,
} from '../http/request';
import {
	hasSuccessStatus,
	isWebPage,
	parsedJson,
	readFileOrText,
	readResponse,
	type FileStore,
} from '../http/response';
import {
	jsonPayload,
	noPayload,
	withSignal,
	type PayloadFactory,
	type Transfer,
} from '../http/transfer';
import { callError, hasStatus, isInDoubt, reportsFailure, type CallContext } from './callError';
import { isExecution, type Client } from './client';
import {
	API_PREFIX,
	CREDENTIAL_TYPE,
	isPathSegment,
	WORKFLOW_ID_LABEL,
} from '../account/credential';

/** Required by n8n's type, but not read by n8n. */
const UNNAMED = { id: '', name: '', type: CREDENTIAL_TYPE };

const MAX_TRIES = 8;
/** In lists, for which the user waits and can try again, and for looks, which are repeated anyway. */
const FEW_TRIES = 2;

export interface ServiceCall
	extends Pick<CallContext, 'fileName' | 'fileField' | 'changes' | 'fromDetails'> {
	method: IHttpRequestMethods;
	/** Relative to /api/v1, with every ID encoded by `pathSegment`. */
	path?: string;
	/** Instead of a path: an absolute URL from a response of the service, on its own origin. */
	url?: string;
	query?: Query;
	body?: IDataObject;
	/** Instead of a JSON body: a body with a file, and the file's size in bytes. */
	file?: { payload: PayloadFactory; size: number };
	/** What a success looks like; `any` also accepts an empty response, `json` also a stored file. */
	expects: 'json' | 'any' | 'file';
	/** Stores the response where it is a file, as part of the try. */
	store?: FileStore;
	/** Whether the call changes nothing; by default, whether it is a GET. Workflow Endpoint may be a POST. */
	isRead?: boolean;
}

export type Query = ReadonlyArray<readonly [name: string, value: string | number | undefined]>;

export interface ServiceResponse {
	/** The parsed JSON; undefined for an empty response and for a file. */
	json: unknown;
	file?: IBinaryData;
}

/**
 * An ID as one segment of a path, percent-encoded.
 * @param label the node's field that the ID comes from
 * @throws UserError where the ID is empty or would change the path
 */
export function pathSegment(id: string, label: string): string {
	const text = id.trim();
	if (!text) throw new UserError(`'${label}' is empty`);
	if (!isPathSegment(text))
		throw new UserError(`'${label}' is not an ID: copy it from the service again`);
	return encodeURIComponent(text);
}

export function workflowPath({ workflowId }: Client): string {
	return `/workflows/${pathSegment(workflowId, WORKFLOW_ID_LABEL)}`;
}

/**
 * Makes one call of the service, within the rate limit that all calls with this key share. Reads are
 * retried after a transient failure, writes only if they certainly were not done (interface.md §7). A
 * write that an earlier try of the execution has made is not made again: its response is returned.
 * @throws CallError; the signal's reason after Stop
 */
export async function callService(client: Client, call: ServiceCall): Promise<ServiceResponse> {
	const send = async () => await sendCall(client, call);
	return isRead(call) ? await send() : await once(client, writeOf(client, call), send);
}

/**
 * Makes a write, or what else is done once, unless an earlier try of this execution or another item has
 * made it or is making it: n8n's Retry On Fail runs the whole node again, and two items may ask for the
 * same. Then what was done, or may have been done, is told again.
 * @param write what tells it from others of the client's writer
 * @throws the write's error; also that of an earlier try whose outcome is unknown
 */
export async function once<T>(client: Client, write: string, make: () => Promise<T>): Promise<T> {
	const { writes } = client.journal;
	const key = keyOf(client, write);
	const makeAndForget = async () => {
		const made = await settled(make());
		if (made.error && !isInDoubt(made.error)) writes.delete(key);
		return made;
	};
	const outcome = writes.get(key) ?? makeAndForget();
	writes.set(key, outcome);
	const { error, value } = (await outcome) as Outcome<T> & { value: T };
	if (error) throw error;
	return value;
}

const keyOf = ({ writer }: Client, write: string) => JSON.stringify([writer, write]);

/**
 * Makes a write that is about many things, in chunks. Later tries may group things otherwise, so the
 * journal keeps each of them under the call that would be made for it alone, and what an earlier try or
 * another item has made is left out. Where the node continues on fail, the things of a call that is
 * refused go in calls of their own: it was certainly not made, and the refusal may be about one of them
 * alone. Else, nothing is sent after a failure.
 * @param things each once
 * @param size the most of them in one call
 * @returns the outcome for each of them, in order; what is not sent any more has the first failure
 */
export async function callForEach<T>(
	client: Client,
	things: T[],
	callFor: (things: T[]) => ServiceCall,
	size: number,
): Promise<Array<Outcome<ServiceResponse>>> {
	const { context, journal, maxConcurrency } = client;
	const goesOn = isExecution(context) && context.continueOnFail();
	const writeFor = (thing: T) => writeOf(client, callFor([thing]));
	const isNew = (thing: T) => !journal.writes.has(keyOf(client, writeFor(thing)));
	const outcomes = new Map<T, Outcome<ServiceResponse>>();
	const send = async (chunk: T[]) => {
		const together = chunk.filter(isNew);
		let tell: (sent: Outcome<ServiceResponse>) => void = () => {};
		const shared = new Promise<Outcome<ServiceResponse>>((resolve) => (tell = resolve));
		const sending = chunk.map(async (thing) => {
			const made = once(client, writeFor(thing), async () => {
				const { error, value } = await shared;
				if (!error) return value;
				if (together.length === 1 || !goesOn || !mayBeAboutOne(error)) throw error;
				return await sendCall(client, callFor([thing]));
			});
			const outcome = await settled(made);
			outcomes.set(thing, outcome);
			return outcome;
		});
		// Awaited only here, so that the stack of its failure leads to whoever called.
		if (together.length > 0) tell(await settled(sendCall(client, callFor(together))));
		const failed = (await Promise.all(sending)).find(({ error }) => error);
		if (failed?.error) throw failed.error;
	};
	const chunks = Array.from({ length: Math.ceil(things.length / size) }, (_, index) =>
		things.slice(index * size, (index + 1) * size),
	);
	const sentChunks = await settleInOrder(chunks, maxConcurrency, !goesOn, send);
	const failure = sentChunks.find((one) => one?.error) as Outcome<ServiceResponse>;
	return things.map((thing) => outcomes.get(thing) ?? failure);
}

/** Whether a refusal may be about one of the things that a call names. */
function mayBeAboutOne(error: Error): boolean {
	return hasStatus(error, 400, 404, 409, 413, 422) && !isInDoubt(error);
}

const isRead = (call: ServiceCall) => call.isRead ?? call.method === 'GET';

/** What tells a write from others of one writer; files are told by their writers. */
const writeOf = (client: Client, call: ServiceCall) =>
	JSON.stringify([call.method, urlOf(client, call), call.body]);

function urlOf({ account }: Client, { url, path = '', query }: ServiceCall): string {
	return withQuery(url ?? `${account.address}${API_PREFIX}${path}`, query);
}

/** Whether a call is about documents or a collection that it names by their IDs. */
function namesIds(url: string, { body = {}, changes }: ServiceCall): boolean {
	const isInUrl = /\/(documents|collections)\/[^/]+\/|[?&](document|collection)_id=/.test(url);
	const isInBody = ['document_ids', 'collection_id'].some((name) => name in body);
	return isInUrl || isInBody || changes === 'confirmation';
}

async function sendCall(client: Client, call: ServiceCall): Promise<ServiceResponse> {
	const { method, body, file, fileName, fileField, changes, fromDetails = [] } = call;
	const { account, journal } = client;
	const url = urlOf(client, call);
	const headers = { Accept: call.store ? '*/*' : 'application/json' };
	const response = await exchange<ServiceResponse>(
		{
			client,
			peer: 'service',
			isUpload: file !== undefined,
			fileName,
			fileField,
			changes,
			fromDetails,
			usesEnteredIds: !fromDetails.includes('documentIdField') && namesIds(url, call),
		},
		[account.address, account.apiKey],
		{
			method,
			target: async () => ({ url, headers }),
			payload: file?.payload ?? (body === undefined ? noPayload : jsonPayload(body)),
			send: async (options, signal) => await sendWithKey(client, options, signal),
			read: async (incoming, transfer) => await readServiceResponse(call, incoming, transfer),
			isWrite: !isRead(call),
			size: file?.size,
		},
	);
	for (const detail of fromDetails) journal.workingDetails.add(detail);
	return response;
}

async function sendWithKey(
	{ context, account }: Client,
	options: IHttpRequestOptions,
	signal: AbortSignal,
) {
	return (await context.helpers.httpRequestWithAuthentication.call(
		isExecution(context) ? withSignal(context, signal) : context,
		CREDENTIAL_TYPE,
		options,
		// Without it, n8n reads the credential again for each request, with the first item's expressions.
		{ credentialsDecrypted: { ...UNNAMED, data: account.credential } },
	)) as IN8nHttpFullResponse;
}

/** Makes a GET request without the key, to a URL from a response or from the user. */
export async function getWithoutKey<T>(
	client: Client,
	peer: CallContext['peer'],
	url: string,
	read: HttpRequest<T>['read'],
): Promise<T> {
	return await exchange<T>({ client, peer }, [new URL(url).origin, client.account.apiKey], {
		method: 'GET',
		target: async () => ({ url }),
		payload: noPayload,
		read,
		isWrite: false,
	});
}

/**
 * Makes a request; without `send`, the key is not sent.
 * @param limiterKey requests with the same one share a rate limit
 * @throws CallError; what the request's target throws
 */
export async function exchange<T>(
	about: CallContext,
	limiterKey: string[],
	request: Omit<HttpRequest<T>, 'send'> & Partial<Pick<HttpRequest<T>, 'send'>>,
): Promise<T> {
	const { client } = about;
	const { context, maxConcurrency, stop, patienceMs } = client;
	const options: RequestOptions = {
		limiterKey: JSON.stringify(limiterKey),
		owner: context,
		maxConcurrency,
		maxTries: patienceMs !== undefined || !isExecution(context) ? FEW_TRIES : MAX_TRIES,
		stop,
		patienceMs,
	};
	const send = async (sent: IHttpRequestOptions) =>
		(await context.helpers.httpRequest(sent)) as IN8nHttpFullResponse;
	try {
		return await makeRequest(options, { send, ...request });
	} catch (error) {
		throw error instanceof RequestError ? callError(about, error.failure) : error;
	}
}

async function readServiceResponse(
	call: ServiceCall,
	incoming: IN8nHttpFullResponse,
	transfer: Transfer,
): Promise<ReadResponse<ServiceResponse>> {
	const { response, file } = call.store
		? await readFileOrText(incoming, transfer, call.store)
		: { response: await readResponse(incoming, transfer), file: undefined };
	if (file) return { response, success: { value: { json: undefined, file } } };
	if (!hasSuccessStatus(response) || isWebPage(response)) return { response };
	const json = parsedJson(response.text);
	const isEmpty = call.expects === 'any' && response.text.trim() === '';
	const isJson = call.expects !== 'file' && json !== undefined;
	// In response to a write, JSON may say that the write failed.
	const isDone = isRead(call) || !reportsFailure(json);
	return isEmpty || (isJson && isDone) ? { response, success: { value: { json } } } : { response };
}

/** n8n's own query option drops names such as `constructor`, and throws for `__proto__`. */
function withQuery(url: string, query: Query = []): string {
	const parameters = new URLSearchParams();
	for (const [name, value] of query) {
		if (value !== undefined) parameters.append(name, String(value));
	}
	if (parameters.size === 0) return url;
	return `${url}${url.includes('?') ? '&' : '?'}${parameters}`;
}
