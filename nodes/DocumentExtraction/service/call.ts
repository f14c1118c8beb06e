/** Makes all requests: those with the key by `callService` alone. */
import { UserError } from 'n8n-workflow';
import type {
	IBinaryData,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { settleInOrder, type Outcome } from '../http/concurrency';
import { RequestError, type Failure } from '../http/failure';
import { jsonPayload, noPayload, type PayloadFactory } from '../http/payload';
import { makeRequest, type HttpRequest, type Reading, type RequestOptions } from '../http/request';
import {
	hasSuccessStatus,
	isWebPage,
	parsedJson,
	readFileOrText,
	readResponse,
	type StoreFile,
} from '../http/response';
import type { Transfer } from '../http/transfer';
import { withSignal } from '../http/workarounds';
import { callError, type CallContext } from './callError';
import type { Client } from './client';
import {
	API_PREFIX,
	CREDENTIAL_TYPE,
	isPathSegment,
	WORKFLOW_ID_LABEL,
} from '../account/credential';
import { once, recalled, recordWrite } from './journal';
import { isExecution } from './run';

/** Required by n8n's type, but not read by n8n. */
const UNNAMED = { id: '', name: '', type: CREDENTIAL_TYPE };

const MAX_TRIES = 8;
/** Where the user waits and can try again, and for looks, which are repeated anyway. */
const FEW_TRIES = 2;
/** How long a look waits for a response, in ms; uploads wait far longer. */
const LOOK_PATIENCE_MS = 20_000;

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
	/** What a definitive success looks like; `any` also accepts an empty response. */
	expects: 'json' | 'any';
	/** Stores the response where it is a file, as part of the try. */
	store?: StoreFile;
	/** Whether the call changes nothing; by default, whether it is a GET. Workflow Endpoint may be a POST. */
	isRead?: boolean;
	/** Whether a write is made once more, as what it gave before is of no use any more. */
	isAgain?: boolean;
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
	return isRead(call)
		? await send()
		: await once(client, writeOf(client, call), send, call.isAgain);
}

/**
 * Makes a write that is about many things in as few calls as possible. Later tries of the execution may
 * group them otherwise, so the journal keeps each thing under the call that would be made for it alone.
 * @param things each once
 * @param how.size the most of them in one call
 * @param how.isInOrder whether calls are made one by one, and the first failure is that of all not sent yet
 * @returns the outcome for each of them, in order
 */
export async function callForEach<T>(
	client: Client,
	things: T[],
	callFor: (things: T[]) => ServiceCall,
	{ size, isInOrder }: { size: number; isInOrder: boolean },
): Promise<Array<Outcome<ServiceResponse>>> {
	const goesOn = isExecution(client.context) && client.context.continueOnFail();
	const writes = things.map((thing) => writeOf(client, callFor([thing])));
	const outcomes = things.map((): Outcome<unknown> | undefined => undefined);
	const left = () => [...things.keys()].filter((index) => !outcomes[index]);
	let failure: Outcome<unknown> | undefined;
	while (!failure && left().length > 0) {
		for (const index of left()) {
			// What another item has under way may turn out not to be made: then it is made here.
			const underWay = recalled(client, writes[index]);
			const made = underWay && (await underWay);
			if (recalled(client, writes[index]) === underWay) outcomes[index] = made;
		}
		failure = isInOrder && !goesOn ? outcomes.find((outcome) => outcome?.error) : undefined;
		if (failure) break;
		const open = left().filter((index) => !recalled(client, writes[index]));
		const concurrency = isInOrder ? 1 : client.maxConcurrency;
		const sending = settleInOrder(chunks(open, size), concurrency, isInOrder, async (group) => {
			return await sendCall(client, callFor(group.map((index) => things[index])));
		});
		const callOf = (position: number) => Math.floor(position / size);
		for (const [position, index] of open.entries()) {
			recordWrite(
				client,
				writes[index],
				sending.then((sent) => sent[callOf(position)]),
			);
		}
		const sent = await sending;
		failure = isInOrder ? sent.find((outcome) => outcome?.error) : undefined;
		for (const [position, index] of open.entries()) {
			outcomes[index] = sent[callOf(position)] ?? failure;
		}
	}
	const outcomeOf = async (write: string, index: number) =>
		outcomes[index] ?? (await recalled(client, write)) ?? failure;
	return (await Promise.all(writes.map(outcomeOf))) as Array<Outcome<ServiceResponse>>;
}

/** Lists of at most `size` entries. */
function chunks<T>(entries: T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(entries.length / size) }, (_, index) =>
		entries.slice(index * size, (index + 1) * size),
	);
}

const isRead = (call: ServiceCall) => call.isRead ?? call.method === 'GET';

/** What tells a write from others at one position in the input; files are told by their positions. */
const writeOf = (client: Client, call: ServiceCall) =>
	JSON.stringify([call.method, urlOf(client, call), call.body]);

function urlOf({ account }: Client, { url, path = '', query }: ServiceCall): string {
	return withQuery(url ?? `${account.address}${API_PREFIX}${path}`, query);
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
	return await exchange<T>({ client, peer }, [new URL(url).origin], {
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
	const { context, maxConcurrency, stop, isLook, onSent, run } = client;
	const server = JSON.stringify(limiterKey);
	const options: RequestOptions = {
		limiterKey: server,
		owner: context,
		maxConcurrency,
		maxTries: (failure) => triesOf(client, server, failure),
		stop,
		patienceMs: isLook ? LOOK_PATIENCE_MS : undefined,
		onRetry: () => run.retries++,
		onSent,
	};
	const sendWithoutKey = async (sent: IHttpRequestOptions) =>
		(await context.helpers.httpRequest(sent)) as IN8nHttpFullResponse;
	try {
		const value = await makeRequest(options, { send: sendWithoutKey, ...request });
		run.reached.add(server);
		return value;
	} catch (error) {
		throw error instanceof RequestError ? callError(about, error.failure) : error;
	}
}

function triesOf({ context, isLook, run }: Client, server: string, failure: Failure): number {
	if (isLook || !isExecution(context)) return FEW_TRIES;
	if (context.getMode() !== 'manual' || run.reached.has(server)) return MAX_TRIES;
	// In the editor, where the user waits, an address at which no service answers is probably wrong.
	const isWrongAddress =
		failure.kind === 'response'
			? isWebPage(failure.response) && [200, 404, 405].includes(failure.response.statusCode)
			: failure.kind === 'not reached' || failure.kind === 'no TLS';
	return isWrongAddress ? FEW_TRIES : MAX_TRIES;
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
	const isAccepted = hasSuccessStatus(response) && !isWebPage(response);
	const isEmpty = call.expects === 'any' && response.text.trim() === '';
	const isDefinitive = isAccepted && (json !== undefined || isEmpty);
	return isDefinitive ? { response, success: { value: { json } } } : { response };
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
