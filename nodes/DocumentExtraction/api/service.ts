/** The one road to the service: every request with the key goes through `callService`. */
import type {
	IBinaryData,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { RequestError } from '../http/failure';
import { limiterFor } from '../http/limiters';
import { jsonPayload, wholePayload, type Payload, type PayloadFactory } from '../http/payload';
import { makeRequest, type Caller, type HttpRequest, type Reading } from '../http/request';
import {
	hasSuccessStatus,
	isWebPage,
	parsedJson,
	readResponse,
	type HttpResponse,
} from '../http/response';
import { MAX_TRIES } from '../http/retry';
import { SLOWEST_BYTES_PER_MS, type Transfer } from '../http/transfer';
import type { CallContext } from './errors/callContext';
import { asCallError } from './errors/failedCall';
import type { Client } from './client';
import { API_PREFIX, CREDENTIAL_TYPE } from './credential';
import type { ApiDetail } from './details/labels';
import { readFileOrText, type StoreFile } from './files';
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

/** In a list of the editor somebody waits, and can try again. */
const TRIES_IN_EDITOR = 2;

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
	const about: CallContext = {
		peer: 'service',
		isWrite: !(call.isRead ?? call.method === 'GET'),
		isUpload: call.file !== undefined,
		shownBy: call.shownBy,
		madeFrom: call.madeFrom ?? [],
	};
	const size = call.file?.size ?? 0;
	const response = await exchange<ServiceResponse>(
		client,
		about,
		`${client.address} ${client.credential.apiKey}`,
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
			isWrite: about.isWrite,
			transferMs: size / SLOWEST_BYTES_PER_MS,
		},
	);
	for (const detail of about.madeFrom) client.run.workingDetails.add(detail);
	return response;
}

/** A body that is left out is none: to the service that is something else than an empty one. */
function bodyOf({ body }: ServiceCall, transfer: Transfer): Payload {
	return body === undefined ? wholePayload(transfer, undefined) : jsonPayload(transfer, body);
}

/** A request without the key, to a URL that the service or the user named. */
export async function callWithoutKey<T>(
	client: Client,
	peer: CallContext['peer'],
	call: {
		method: 'GET' | 'PUT';
		url: string;
		file?: { payload: PayloadFactory; size: number };
		read: (incoming: IN8nHttpFullResponse, transfer: Transfer) => Promise<Reading<T>>;
	},
): Promise<T> {
	const about: CallContext = { peer, isWrite: false, isUpload: false, madeFrom: [] };
	return await exchange<T>(client, about, new URL(call.url).origin, {
		payload: call.file?.payload ?? (async (transfer) => wholePayload(transfer, undefined)),
		send: async ({ body, headers }, transfer) =>
			(await client.context.helpers.httpRequest({
				...HTTP_OPTIONS,
				method: call.method,
				url: call.url,
				headers,
				...(body === undefined ? {} : { body }),
				abortSignal: transfer.signal,
			})) as IN8nHttpFullResponse,
		read: call.read,
		isWrite: false,
		transferMs: (call.file?.size ?? 0) / SLOWEST_BYTES_PER_MS,
	});
}

async function exchange<T>(
	client: Client,
	about: CallContext,
	limiterKey: string,
	request: HttpRequest<T>,
): Promise<T> {
	const { context, maxConcurrency, stop, run } = client;
	const caller: Caller = {
		limiter: limiterFor(limiterKey),
		owner: context,
		maxConcurrency,
		maxTries: isExecution(context) ? MAX_TRIES : TRIES_IN_EDITOR,
		stop,
		onRetry: () => run.retries++,
	};
	try {
		return await makeRequest(caller, request);
	} catch (error) {
		throw error instanceof RequestError ? asCallError(client, about, error.failure) : error;
	}
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
