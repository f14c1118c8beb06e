/** The one road to the service: every request with the key goes through `callService`. */
import type {
	IBinaryData,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { RequestError } from '../http/failure';
import { parsedJson } from '../http/json';
import { limiterFor } from '../http/limiter';
import { jsonPayload, wholePayload, type Payload, type PayloadFactory } from '../http/payload';
import {
	makeRequest,
	MAX_TRIES,
	type HttpRequest,
	type Reading,
	type RequestOptions,
} from '../http/request';
import {
	hasSuccessStatus,
	isWebPage,
	readFileOrText,
	readResponse,
	type HttpResponse,
	type StoreFile,
} from '../http/response';
import { SLOWEST_BYTES_PER_MS, type Transfer } from '../http/transfer';
import { callError, type CallContext } from './callError';
import type { Client } from './client';
import { API_PREFIX, CREDENTIAL_TYPE } from './credential';
import type { ApiDetail } from './details/apiDetails';
import { pathSegment } from './ids';
import { isExecution } from './run';

/**
 * The node judges every response itself: n8n's own errors hide what the service said, and it sends a
 * rejected 401 twice. It buffers a body that might be redirected, and lets the key follow. Its own time
 * limit runs while a body is still being sent; ours do not.
 */
const HTTP_OPTIONS = {
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	encoding: 'stream',
	timeout: 0,
} as const;

/** What n8n's type asks for besides the data, and n8n does not read. */
const UNNAMED = { id: '', name: '', type: CREDENTIAL_TYPE };

/** In a list of the editor somebody waits, and can try again; and a look is repeated anyway. */
const TRIES_WITH_ANOTHER = 2;
/** How long an address is tried in the editor that nobody has answered at yet, in ms. */
const UNREACHED_IN_EDITOR_MS = 4000;
/** How long a look waits for a response, in ms: far less than an upload. */
const LOOK_PATIENCE_MS = 30_000;

export interface ServiceCall {
	method: IHttpRequestMethods;
	/** Relative to /api/v1, with every ID encoded by `pathSegment`. */
	path?: string;
	/** In place of a path: an absolute URL that the service itself named, on its own origin. */
	url?: string;
	query?: Query;
	body?: IDataObject;
	/** In place of a JSON body: one that carries a file, and the file's size in bytes. */
	file?: { payload: PayloadFactory; size: number };
	/** The file that the call is about, for the user whose file is refused. */
	fileName?: string;
	/** What a definitive success looks like; `any` also accepts an empty response. */
	expects: 'json' | 'any';
	/** Where a file may come as well: keeps it, as a part of the try. */
	store?: StoreFile;
	/** Whether the call changes nothing, where its method does not tell: the workflow's may be POST. */
	isRead?: boolean;
	/** The operation that shows whether this write was done, for the user whose write is in doubt. */
	shownBy?: string;
	/** The API Details that say how to make this call, for the user whose call is refused. */
	madeFrom?: ApiDetail[];
}

export type Query = ReadonlyArray<readonly [name: string, value: string | number | undefined]>;

export interface ServiceResponse {
	/** The parsed JSON; undefined for an empty response and for a file. */
	json: unknown;
	file?: IBinaryData;
}

export function workflowPath({ workflowId }: Client): string {
	return `/workflows/${pathSegment(workflowId, 'Workflow ID')}`;
}

/**
 * Makes one call of the service, at the rate that all calls with this key share, and tries it again
 * where that cannot do anything twice: reads after a transient failure, writes only when they
 * certainly were not done (interface.md §7).
 * @throws CallError with the words for it; the signal's reason after Stop
 */
export async function callService(client: Client, call: ServiceCall): Promise<ServiceResponse> {
	const { fileName, shownBy, madeFrom = [] } = call;
	const isWrite = !(call.isRead ?? call.method === 'GET');
	const isUpload = call.file !== undefined;
	const size = call.file?.size ?? 0;
	const response = await exchange<ServiceResponse>(
		{ client, peer: 'service', isWrite, isUpload, fileName, shownBy, madeFrom },
		[client.address, client.credential.apiKey],
		{
			payload: call.file?.payload ?? (async (transfer) => bodyOf(call, transfer)),
			send: async ({ body, headers }, transfer) =>
				await sendWithKey(client, transfer, {
					method: call.method,
					url: withQuery(
						call.url ?? `${client.address}${API_PREFIX}${call.path ?? ''}`,
						call.query,
					),
					headers: { Accept: call.store ? '*/*' : 'application/json', ...headers },
					...(body === undefined ? {} : { body }),
				}),
			read: async (incoming, transfer) => await readServiceResponse(call, incoming, transfer),
			isWrite,
			transferMs: size / SLOWEST_BYTES_PER_MS,
		},
	);
	for (const detail of madeFrom) client.run.workingDetails.add(detail);
	return response;
}

/** A body that is left out is none: to the service that is something else than an empty one. */
function bodyOf({ body }: ServiceCall, transfer: Transfer): Payload {
	return body === undefined ? wholePayload(transfer, undefined) : jsonPayload(transfer, body);
}

/** Reads what a request without the key brings. */
export type ReadResponse<T> = (
	incoming: IN8nHttpFullResponse,
	transfer: Transfer,
) => Promise<Reading<T>>;

/** Reads from a URL that the service or the user named, without the key. */
export async function getWithoutKey<T>(
	client: Client,
	peer: CallContext['peer'],
	url: string,
	read: ReadResponse<T>,
): Promise<T> {
	return await exchange<T>({ client, peer }, [new URL(url).origin], {
		payload: async (transfer) => wholePayload(transfer, undefined),
		send: async (payload, transfer) =>
			await sendWithoutKey(client, transfer, { method: 'GET', url }, payload),
		read,
		isWrite: false,
		transferMs: 0,
	});
}

/**
 * Puts a file to a URL that the service signs for it, without the key. The file has its turn first:
 * a URL that waited for one might have expired by then.
 * @param signed gives the URL for a try, and headers that go with it, once there is a place for its file
 * @throws what `signed` throws
 */
export async function putWithoutKey<T>(
	client: Client,
	file: { payload: PayloadFactory; size: number },
	signed: () => Promise<{ url: string; headers: { [name: string]: string } }>,
	read: ReadResponse<T>,
): Promise<T> {
	const about: CallContext = { client, peer: 'storage', isUpload: true };
	let url = '';
	// Where the storage is nobody knows before there is a URL: it is the one of this service.
	return await exchange<T>(about, ['storage', client.address], {
		payload: async (transfer) => {
			const target = await signed();
			url = target.url;
			const payload = await file.payload(transfer);
			return { ...payload, headers: { ...payload.headers, ...target.headers } };
		},
		send: async (payload, transfer) =>
			await sendWithoutKey(client, transfer, { method: 'PUT', url }, payload),
		read,
		isWrite: false,
		transferMs: file.size / SLOWEST_BYTES_PER_MS,
	});
}

async function sendWithoutKey(
	{ context }: Client,
	transfer: Transfer,
	target: { method: 'GET' | 'PUT'; url: string },
	{ body, headers }: Payload,
) {
	return (await context.helpers.httpRequest({
		...HTTP_OPTIONS,
		...target,
		headers,
		...(body === undefined ? {} : { body }),
		abortSignal: transfer.signal,
	})) as IN8nHttpFullResponse;
}

async function exchange<T>(
	about: CallContext,
	limiterKey: string[],
	request: HttpRequest<T>,
): Promise<T> {
	const { client } = about;
	const { context, maxConcurrency, stop, isLook, run } = client;
	const peer = JSON.stringify(limiterKey);
	const options: RequestOptions = {
		limiter: limiterFor(peer),
		owner: context,
		maxConcurrency,
		maxTries: !isExecution(context) || isLook ? TRIES_WITH_ANOTHER : MAX_TRIES,
		stop,
		patienceMs: isLook ? LOOK_PATIENCE_MS : undefined,
		unreachedMs: longestUnreachedMs(client, peer),
		onRetry: () => run.retries++,
	};
	try {
		const value = await makeRequest(options, request);
		run.wereReached.set(peer, true);
		return value;
	} catch (error) {
		const failure = error instanceof RequestError ? error.failure : undefined;
		if (failure?.kind === 'not reached' && !run.wereReached.has(peer)) {
			run.wereReached.set(peer, false);
		}
		throw failure ? callError(about, failure) : error;
	}
}

/** An address that nobody answers at is probably wrong, and somebody sits in front of the editor. */
function longestUnreachedMs({ context, run }: Client, peer: string): number {
	const isEditor = isExecution(context) && context.getMode() === 'manual';
	if (run.wereReached.get(peer) || !isEditor) return Infinity;
	return run.wereReached.has(peer) ? 0 : UNREACHED_IN_EDITOR_MS;
}

async function sendWithKey(client: Client, transfer: Transfer, options: IHttpRequestOptions) {
	const { context, credential } = client;
	// n8n puts the signal of the context that it is called with in place of any other.
	const contextOfTry = Object.create(context, {
		...(isExecution(context) ? { getExecutionCancelSignal: { value: () => transfer.signal } } : {}),
	}) as typeof context;
	return (await context.helpers.httpRequestWithAuthentication.call(
		contextOfTry,
		CREDENTIAL_TYPE,
		{ ...HTTP_OPTIONS, abortSignal: transfer.signal, ...options },
		// Or n8n reads the credential again for each request, with expressions of the first item.
		{ credentialsDecrypted: { ...UNNAMED, data: credential } },
	)) as IN8nHttpFullResponse;
}

async function readServiceResponse(
	call: ServiceCall,
	incoming: IN8nHttpFullResponse,
	transfer: Transfer,
): Promise<Reading<ServiceResponse>> {
	const { response, file } = call.store
		? await readFileOrText(incoming, transfer, call.store)
		: { response: await readResponse(incoming, transfer), file: undefined };
	if (file) return { response, success: { value: { json: undefined, file } } };
	const json = parsedJson(response.text);
	return isDefinitive(call, response, json)
		? { response, success: { value: { json } } }
		: { response };
}

function isDefinitive(call: ServiceCall, response: HttpResponse, json: unknown): boolean {
	if (!hasSuccessStatus(response) || isWebPage(response)) return false;
	const isEmpty = response.text.trim() === '';
	return json !== undefined || (isEmpty && call.expects === 'any');
}

/** Not left to n8n: its library drops names such as `constructor` and fails on `__proto__`. */
function withQuery(url: string, query: Query = []): string {
	const parameters = new URLSearchParams();
	for (const [name, value] of query) {
		if (value !== undefined) parameters.append(name, String(value));
	}
	if (parameters.size === 0) return url;
	return `${url}${url.includes('?') ? '&' : '?'}${parameters}`;
}
