import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { binaryItem, readBinary, type BinaryMode } from '../../test/support/binary.ts';
import type { NodeRun } from '../../test/support/nodeEngine.ts';
import { valueOf } from '../service/answers.ts';
import type { LoggedRequest } from '../service/requestLog.ts';
import type { Service } from '../../test/support/service.ts';
import { exchange } from '../virtual/network.ts';
import { Claims, type Claim, type Deed } from './deeds.ts';
import { note, type Figures, type Wrong } from './figures.ts';
import type { NodeUnderTest } from './node.ts';
import { oddLists } from './oddLists.ts';
import type { Randomness } from './randomness.ts';
import { flawOf } from './rows.ts';
import { UPLOAD_RETRY_AFTER, type FairWeather } from './weather.ts';

const MOST_ODD_RESULTS = 20;
const SIGNATURE = /X-Amz-Signature=[0-9a-f]{20,}/;
/** n8n's own words for a status or a code, which say nothing of this service. */
const GENERIC =
	/please check your (parameters|credentials)|could not be found$|UNKNOWN ERROR|from you$|process your request$|perhaps|Unknown error|undefined|\[object/i;
/** No upload stalls here, as those that are slow move; and n8n's storage loses nothing. */
const UNTRUE = /^The upload to the (service|storage) stalled|EIO/;

/** Operations that hand the service's own answer on as it is, the URLs of its files among it. */
const GIVES_SIGNED_URLS = new Set([
	'document createUploadUrl',
	'extraction getAll',
	'extraction extractFromFiles',
	'collection merge',
]);

type Result = Awaited<ReturnType<Service['control']['values']>>[number];

export type Handling = 'continueErrorOutput' | 'continueRegularOutput' | 'stopWorkflow';

/** What became of a run's items, wherever n8n put those that failed. */
export interface Outcome {
	done: INodeExecutionData[];
	failed: INodeExecutionData[];
	/** Why the node ended the run. */
	stopped?: string;
	/** Stop was pressed: n8n drops whatever the node had. */
	isCanceled: boolean;
	hints: string[];
}

export interface RoundOptions {
	node: NodeUnderTest;
	service: Service;
	credential: ICredentialDataDecryptedObject;
	mode: BinaryMode;
	/** All that the service has received. */
	requests: () => Promise<readonly LoggedRequest[]>;
	/** Whether faults move the rows of lists. */
	rowsMove: boolean;
	/** Whether the time of day is set back or forth. */
	isClockSet: boolean;
	/** Where next to nothing goes wrong, and so nobody has an excuse. */
	fair?: FairWeather;
	/**
	 * Whether others have kept the workflow extracting since then, in ms of `performance.now()`.
	 * @param hasUploaded whether it may have paused at first, while files were uploaded
	 */
	isKeptBusy?: (since: number, hasUploaded: boolean) => boolean;
	/** Of an upload, with one or two files each. */
	mostItems: number;
	/** One file in so many is longer than what fits into the buffers of a connection. */
	longFiles: { oneIn: number; bytes: number };
	/** One operation in so many is stopped at some moment; 0: none. */
	stopOneIn: number;
	/** Beyond it an operation hangs, in ms. */
	longestOperationMs: number;
	figures: Figures;
}

/** A number of operations on a fresh service, and what the node claims of them. */
export class Round {
	readonly claims = new Claims();
	/** The rows and documents of the second workflow, which no operation changes. */
	rows: string[] = [];
	values: Result[] = [];
	listed: string[] = [];
	/** Documents of the list in which one result has no values. */
	odd: string[] = [];
	/** The items that the node gave for a document, and whether they are simplified. */
	readonly results = new Map<
		string,
		{ items: IDataObject[]; isSimple: boolean; operation: number }
	>();

	constructor(readonly options: RoundOptions) {}

	get service() {
		return this.options.service;
	}

	get main() {
		return this.service.account.environments.test.workflows.main;
	}

	get second() {
		return this.service.account.environments.test.workflows.second;
	}

	/** Whether the node is told of no sign but results: then it cannot tell old ones from new ones. */
	get waitsByResultsAlone() {
		const { finishedStatuses, workflowEndpoint } = this.options.credential;
		return !finishedStatuses && !workflowEndpoint;
	}

	/** What is merged, and so many documents to be listed. */
	async seedLists(documents: number, extractionsPerDocument: number) {
		const { control } = this.service;
		for (const { id } of this.main.collections)
			await control.seed({ documents: 2, collection: id });
		const workflow = this.second.id;
		const seeded = await control.seed({ workflow, documents, extractionsPerDocument });
		this.listed = seeded.documentIds;
		this.rows = await this.rowsOf(workflow);
		this.values = await control.values(workflow);
		const { valuesField } = this.options.credential;
		const results = this.rows.slice(0, MOST_ODD_RESULTS);
		this.odd = this.listed.filter((id) => results.join().includes(`"${id}"`));
		await control.faults(oddLists(results, String(valuesField)));
	}

	/** New documents with results. */
	async extracted(count: number): Promise<string[]> {
		const { documentIds } = await this.service.control.seed({ documents: count });
		return documentIds;
	}

	note(wrong: Wrong, what: unknown, operation?: number, count = 1) {
		const { profile } = this.service.account;
		const text = `${profile}, ${typeof what === 'string' ? what : JSON.stringify(what)}`;
		note(this.options.figures, { wrong, operation, what: text }, count);
	}

	/** Holds what the node said against what the service did and has. */
	async compare() {
		const { control } = this.service;
		const { figures } = this.options;
		const keepsUrls = KEEPS_URLS.has(this.options.fair) && !this.options.isClockSet;
		const requests = await this.options.requests();
		figures.calls += requests.length;
		for (const { server, headers, operation, path, status, faults } of requests) {
			const isLeaked = server === 'storage' && headers.authorization !== undefined;
			if (isLeaked) this.note('leaked', `the key went to the storage: ${path}`);
			// A slow upload still moves, so no time limit of the node may end it.
			const isUpload = operation === 'upload' || operation === 'putFile';
			const isCut = isUpload && status === null && faults.every((type) => type === 'slowUpload');
			const isExpired = operation === 'putFile' && status === 403;
			if (isExpired && keepsUrls) {
				this.note('unexplained', 'an upload URL was requested too early, and expired');
			}
			if (isCut && this.options.stopOneIn === 0) {
				this.note('unexplained', `an upload that moved was cut: ${path}`);
			}
		}
		if (this.options.fair === 'refused uploads') this.comparePauses(requests);
		for (const { fault, happened } of await control.injectedFaults()) {
			figures.faults[fault.type] = (figures.faults[fault.type] ?? 0) + happened;
		}
		await control.clearFaults();
		// Whoever compares is not refused either.
		await control.settings({ rate: null, maxInFlight: null });
		const ledger = await control.ledger();
		this.claims.compare(ledger, figures);
		for (const { fileName, contentType } of ledger.uploads) {
			const isSaid = !fileName.endsWith('.txt') || contentType === 'text/plain';
			if (!isSaid) this.note('lost', `the type of ${fileName}, which was sent as ${contentType}`);
		}
		const values = await control.values(this.main.id);
		for (const [documentId, { items, isSimple, operation }] of this.results) {
			if (isSimple) {
				const own = values.filter((result) => result.documentId === documentId);
				this.compareValues(own, items, operation);
				continue;
			}
			const there = await this.rowsOf(this.main.id, { document_id: documentId });
			const given = items.map(({ extraction }) => JSON.stringify(extraction));
			// Addresses of files are signed anew from time to time, and a result's own status may follow its values.
			const [known, claimed] = [there, given].map((list) => list.map(lasting));
			this.compareRows(`results of ${documentId}`, known, claimed, operation);
		}
	}

	/** Notes requests with the key that left while the Retry-After of a refused upload lasted. */
	comparePauses(requests: readonly LoggedRequest[]) {
		for (const { answeredAt, headers, operation, status } of requests) {
			if (operation !== 'upload' || status !== 429 || !answeredAt) continue;
			const refusedAt = Date.parse(answeredAt);
			const early = requests.find((one) => {
				const afterMs = Date.parse(one.at) - refusedAt;
				// At the same moment, the node cannot know yet.
				const isEarly = afterMs > 1 && afterMs < 1000 * UPLOAD_RETRY_AFTER;
				return isEarly && one.headers.authorization === headers.authorization;
			});
			if (early) this.note('unexplained', `${early.path} left before Retry-After was over`);
		}
	}

	/** Notes documents whose row is not there once, or does not hold what their results tell. */
	compareValues(results: Result[], rows: IDataObject[], operation: number) {
		const ids = [...new Set(results.map(({ documentId }) => documentId))];
		const given = rows.map(({ documentId }) => String(documentId));
		this.compareRows('rows of documents', ids, given, operation);
		for (const row of rows) {
			const own = results.filter(({ documentId }) => documentId === row.documentId);
			const flaw = flawOf(
				row,
				own.flatMap(({ values }) => values),
			);
			// One that came meanwhile is none of the list.
			if (flaw && own.length > 0) this.note('lost', [flaw, row], operation);
		}
	}

	/** Notes rows that are there and were not given, and rows that were given more often. */
	compareRows(what: string, rows: string[], given: string[], operation: number) {
		const counts = new Map<string, number>();
		for (const row of given) counts.set(row, (counts.get(row) ?? 0) + 1);
		const missing = rows.filter((row) => !counts.has(row));
		const repeated = [...counts.values()].filter((count) => count > 1);
		if (missing.length > 0) {
			this.note('lost', [what, ...missing.slice(0, 1)], operation, missing.length);
		}
		if (repeated.length > 0) this.note('doubled', what, operation, repeated.length);
	}

	/** The rows of a list, read while nothing goes wrong. */
	async rowsOf(workflowId: string, filter: Record<string, string> = {}): Promise<string[]> {
		const list = `${this.service.url}/api/v1/workflows/${encodeURIComponent(workflowId)}/extractions`;
		const rows: unknown[] = [];
		for (let page = 1, pages = 1; page <= pages; page++) {
			const query = new URLSearchParams({ ...filter, limit: '200', page: String(page) });
			const { bytes } = await exchange(`${list}?${query}`, {
				headers: { authorization: `Bearer ${String(this.options.credential.apiKey)}` },
			});
			const answer = valueOf(bytes.toString()) as { items: unknown[]; pages: number };
			rows.push(...answer.items);
			({ pages } = answer);
		}
		return rows.map((row) => JSON.stringify(row));
	}
}

/** One of a round's operations: how it is run, and what it finds. */
export class Operation {
	constructor(
		readonly round: Round,
		readonly number: number,
		readonly random: Randomness,
	) {}

	note(wrong: Wrong, what: unknown) {
		this.round.note(wrong, what, this.number);
	}

	claim(deed: Deed, claim: Claim, said: unknown) {
		this.round.claims.add(deed, claim, JSON.stringify(said), this.number);
	}

	claimDocument(documentId: string, fileName: string) {
		this.round.claims.addDocument(documentId, fileName, this.number);
	}

	/** Runs an operation on items that each carry a file on to wherever they go. */
	async run(
		parameters: INodeParameters,
		onError: Handling,
		jsons: INodeExecutionData['json'][] = [{}],
		credential: ICredentialDataDecryptedObject = {},
	): Promise<Outcome> {
		const { mode } = this.round.options;
		const items = await Promise.all(
			jsons.map(
				async (json, index) =>
					await binaryItem({ json, files: { carried: { data: `${index}` } }, mode }),
			),
		);
		const outcome = await this.runWithFiles(parameters, onError, items, { credential });
		for (const { pairedItem, binary, json } of outcome.failed) {
			const carried = binary?.carried && (await readBinary({ json, binary }, 'carried'));
			if (String(carried) !== String(itemOf(pairedItem))) this.note('fileless', json);
		}
		return outcome;
	}

	/**
	 * Runs an operation that takes the items' files; its caller looks after those that failed.
	 * @param maxTries of n8n's Retry On Fail
	 * @param credential what differs from the round's
	 */
	async runWithFiles(
		parameters: INodeParameters,
		onError: Handling,
		items: INodeExecutionData[],
		{
			maxTries = 1,
			credential = {},
			executionMode = 'trigger',
		}: {
			maxTries?: number;
			credential?: ICredentialDataDecryptedObject;
			executionMode?: WorkflowExecuteMode;
		},
	): Promise<Outcome> {
		const { node, mode, figures, longestOperationMs, stopOneIn } = this.round.options;
		const startedAt = performance.now();
		const stop = new AbortController();
		// From a moment to some minutes, each order of magnitude as often as the others.
		const stopAfterMs =
			stopOneIn > 0 && this.random.between(1, stopOneIn) === 1
				? 10 ** (this.random.between(0, 600) / 100)
				: longestOperationMs;
		// Unlike AbortSignal.timeout, this keeps the process alive while an operation hangs.
		let stoppedAt: number | undefined;
		const timer = setTimeout(() => {
			stoppedAt = performance.now();
			stop.abort();
		}, stopAfterMs);
		const run = await node.runNode({
			credential: { ...this.round.options.credential, ...credential },
			parameters,
			items,
			executionMode,
			binaryMode: mode,
			onError,
			retryOnFail: maxTries > 1,
			maxTries,
			waitBetweenTries: 1,
			signal: stop.signal,
		});
		clearTimeout(timer);
		const output = [...run.output, ...run.errorOutput];
		const failed = output.filter(({ json }) => 'error' in json && 'message' in json);
		const done = output.filter((item) => !failed.includes(item));
		figures.operations++;
		figures.done += done.length;
		figures.failed += failed.length;
		const hints = run.hints.map((hint) => hint.message);
		const name = nameOf(parameters);
		this.checkSecrets(run, name, done);
		if (stoppedAt !== undefined) {
			const lateMs = performance.now() - stoppedAt;
			if (lateMs > LONGEST_STOP_MS) this.note('overlong', `${name} ended ${lateMs} ms after Stop`);
			if (stopAfterMs === longestOperationMs) this.note('overlong', `${name} hangs`);
			return { done: [], failed: [], isCanceled: true, hints };
		}
		const isStopped = onError === 'stopWorkflow' && run.status === 'error';
		if (isStopped) figures.failed++;
		else this.checkItems(run, items.length, output, parameters);
		this.checkReasons(run, isStopped, failed);
		const [failure] = [...failed.map(({ json }) => json.message), run.error?.message];
		this.checkFair(
			parameters,
			isStopped || failed.length > 0 ? String(failure) : undefined,
			startedAt,
		);
		return {
			done,
			failed,
			stopped: isStopped && run.error ? explanationOf(run.error) : undefined,
			isCanceled: false,
			hints,
		};
	}

	private checkItems(
		run: NodeRun,
		count: number,
		output: INodeExecutionData[],
		parameters: INodeParameters,
	) {
		const paired = new Set(output.flatMap(({ pairedItem }) => [pairedItem].flat().map(itemOf)));
		for (let index = 0; index < count; index++) {
			if (!paired.has(index)) this.note('lost', [`item ${index} is in no output`, parameters]);
		}
		if (run.status !== 'success') this.note('unexplained', [`run: ${run.status}`, parameters]);
	}

	private checkReasons({ error }: NodeRun, isStopped: boolean, failed: INodeExecutionData[]) {
		const reasons = failed.map(({ json }) => [json.error, json.message]);
		if (isStopped) reasons.push([error?.message]);
		else if (error) this.note('unexplained', `the run ended: ${error.message}`);
		for (const texts of reasons) {
			const isExplained = texts.every(
				(text) =>
					typeof text === 'string' && text.length > 10 && !GENERIC.test(text) && !UNTRUE.test(text),
			);
			if (!isExplained) this.note('unexplained', texts);
		}
	}

	/** In fair weather there is no excuse. */
	private checkFair(parameters: INodeParameters, failure: string | undefined, startedAt: number) {
		const { round } = this;
		const { fair, credential, node, isKeptBusy } = round.options;
		const tookMs = performance.now() - startedAt;
		const name = nameOf(parameters);
		const isUntold = name === 'extraction extractDocuments' && round.waitsByResultsAlone;
		if (!fair || isUntold || !node.isSetUp(parameters, credential)) return;
		const isFromFiles = name === 'extraction extractFromFiles';
		if (WAITS.has(name) && isKeptBusy?.(startedAt, isFromFiles)) return;
		const { mustSucceed, readMs } = FAIR_RULES[fair];
		if (failure !== undefined && mustSucceed(name)) {
			this.note('unexplained', `${name} failed, ${fair}: ${failure}`);
		}
		const waitsInVain =
			fair === 'calm' && isFromFiles && !round.waitsByResultsAlone && tookMs >= MAX_WAIT_MS;
		if ((isRead(name) && tookMs > readMs) || waitsInVain) {
			this.note('overlong', `${name} took ${Math.round(tookMs / 1000)} s, ${fair}`);
		}
	}

	private checkSecrets(
		{ errorOutput, error, hints, runData }: NodeRun,
		operation: string,
		done: INodeExecutionData[],
	) {
		const all = JSON.stringify({ runData, error, hints });
		const key = String(this.round.options.credential.apiKey);
		if (all.includes(key)) this.note('leaked', `${operation}: the key`);
		if (!SIGNATURE.test(all)) return;
		const own = GIVES_SIGNED_URLS.has(operation) ? [] : done;
		const said = JSON.stringify({ errorOutput, error, hints, own });
		if (SIGNATURE.test(said)) this.note('leaked', `${operation}: a signed URL in ${said}`);
	}
}

/** Operations that wait for extractions of the workflow in which all others extract, too. */
const WAITS = new Set(['extraction extractDocuments', 'extraction extractFromFiles']);

/** The node's default. In calm weather only a wait that misses the end takes so long. */
const MAX_WAIT_MS = 300_000;

/** Where nothing takes as long as an upload URL is valid. */
const KEEPS_URLS = new Set<FairWeather | undefined>(['calm', 'slow uploads', 'merge refused']);

const nameOf = ({ resource, operation }: INodeParameters) =>
	`${String(resource)} ${String(operation)}`;

/** By n8n's names for operations: Get and Get Many change nothing. */
const isRead = (name: string) => / get(All)?$/.test(name);

/** Who must succeed, and how long those who only read may take at most, in ms. */
const FAIR_RULES: Record<FairWeather, { mustSucceed: (name: string) => boolean; readMs: number }> =
	{
		calm: { mustSucceed: () => true, readMs: 30_000 },
		// Alone, a request that is never answered fails after five minutes.
		stalls: {
			mustSucceed: (name) => name === 'extraction extractFromFiles',
			readMs: Infinity,
		},
		'merge refused': {
			mustSucceed: (name) => isRead(name) || name === 'document upload',
			readMs: 120_000,
		},
		'slow uploads': { mustSucceed: () => true, readMs: 10_000 },
		'busy storage': { mustSucceed: () => true, readMs: 30_000 },
		limited: { mustSucceed: () => true, readMs: 120_000 },
		'refused uploads': { mustSucceed: () => true, readMs: 120_000 },
		'all refused': { mustSucceed: () => false, readMs: 800_000 },
	};

/** After Stop the node lets go of everything at once, in ms. */
const LONGEST_STOP_MS = 1_000;

function explanationOf({ message, description }: NonNullable<NodeRun['error']>): string {
	return `${message} ${description}`;
}

const lasting = (row: string) =>
	row.replace(/(http[^"?]*)\?[^"]*/g, '$1').replace(/"extraction_status":"\w+",/, '');

export function itemOf(pairedItem: INodeExecutionData['pairedItem']): number | undefined {
	return typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : undefined;
}

/** Each round tells the node of the service by other API Details, so that it waits in another way. */
export function credentialOf(service: Service, number: number): ICredentialDataDecryptedObject {
	const ways: ICredentialDataDecryptedObject[] = [
		{},
		{ finishedStatuses: '' },
		{ finishedStatuses: '', workflowEndpoint: '' },
	];
	return service.credential(ways[number % ways.length]);
}
