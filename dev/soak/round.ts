import type {
	ICredentialDataDecryptedObject,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import { binaryItem, readBinary, type BinaryMode } from '../../test/support/binary.ts';
import { runNode } from '../../test/support/n8n.ts';
import type { NodeRun } from '../../test/support/nodeEngine.ts';
import type { Service } from '../../test/support/service.ts';
import { Claims, type Claim, type Deed } from './deeds.ts';
import type { Figures, Wrong } from './figures.ts';

const SIGNATURE = /X-Amz-Signature=[0-9a-f]{20,}/;
/** n8n's own words for a status or a code, which say nothing of this service. */
const GENERIC =
	/please check your (parameters|credentials)|could not be found$|UNKNOWN ERROR|from you$|process your request$|perhaps|Unknown error|undefined|\[object/i;
/** No upload stalls here, as those that are slow move; and n8n's storage loses nothing. */
const UNTRUE = /^The upload to the (service|storage) stalled|EIO/;
/** An operation that takes longer hangs, in real ms. */
const LONGEST_OPERATION_MS = 60_000;

/** Operations that hand the service's own answer on as it is, the URLs of its files among it. */
const GIVES_SIGNED_URLS = new Set([
	'document createUploadUrl',
	'extraction getAll',
	'extraction extractFromFiles',
	'collection merge',
]);

export type Handling = 'continueErrorOutput' | 'continueRegularOutput' | 'stopWorkflow';

/** What became of a run's items, wherever n8n put those that failed. */
export interface Outcome {
	done: INodeExecutionData[];
	failed: INodeExecutionData[];
	/** Why the node ended the run. */
	stopped?: string;
	hints: string[];
}

/** A number of operations on a fresh service, and what the node claims of them. */
export class Round {
	readonly claims = new Claims();
	/** How many were begun. */
	operations = 0;
	/** Documents with results, each to be extracted again once. */
	documents: string[] = [];
	/** The rows and documents of the second workflow, which no operation changes. */
	rows: string[] = [];
	listed: string[] = [];
	/** The results that the node gave for a document. */
	readonly results = new Map<string, string[]>();

	constructor(
		readonly service: Service,
		readonly credential: ICredentialDataDecryptedObject,
		readonly mode: BinaryMode,
		/** Whether faults move the rows of lists. */
		readonly rowsMove: boolean,
		readonly figures: Figures,
	) {}

	get main() {
		return this.service.account.environments.test.workflows.main;
	}

	/** Whether the node is told of no sign but results: then it cannot tell old ones from new ones. */
	get waitsByResultsAlone() {
		const { finishedStatuses, workflowEndpoint } = this.credential;
		return !finishedStatuses && !workflowEndpoint;
	}

	get second() {
		return this.service.account.environments.test.workflows.second;
	}

	/** Runs an operation on items that each carry a file on to wherever they go. */
	async run(
		parameters: INodeParameters,
		onError: Handling,
		jsons: INodeExecutionData['json'][] = [{}],
	): Promise<Outcome> {
		const items = await Promise.all(
			jsons.map(
				async (json, index) =>
					await binaryItem({ json, files: { carried: { data: `${index}` } }, mode: this.mode }),
			),
		);
		const outcome = await this.runWithFiles(parameters, onError, items);
		for (const { pairedItem, binary, json } of outcome.failed) {
			const carried = binary?.carried && (await readBinary({ json, binary }, 'carried'));
			if (String(carried) !== String(itemOf(pairedItem))) this.note('fileless', json);
		}
		return outcome;
	}

	/**
	 * Runs an operation that takes the items' files; its caller looks after those that failed.
	 * @param maxTries of n8n's Retry On Fail
	 */
	async runWithFiles(
		parameters: INodeParameters,
		onError: Handling,
		items: INodeExecutionData[],
		maxTries = 1,
	): Promise<Outcome> {
		this.operations++;
		const stop = new AbortController();
		// Unlike AbortSignal.timeout, this keeps the process alive while an operation hangs.
		const timer = setTimeout(() => stop.abort(), LONGEST_OPERATION_MS);
		const run = await runNode({
			credential: this.credential,
			parameters,
			items,
			binaryMode: this.mode,
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
		this.figures.operations++;
		this.figures.done += done.length;
		this.figures.failed += failed.length;
		const isStopped = onError === 'stopWorkflow' && run.status === 'error';
		if (isStopped) this.figures.failed++;
		else this.checkItems(run, items.length, output, parameters);
		this.checkReasons(run, isStopped, failed);
		this.checkSecrets(run, `${String(parameters.resource)} ${String(parameters.operation)}`, done);
		return {
			done,
			failed,
			stopped: isStopped && run.error ? explanationOf(run.error) : undefined,
			hints: run.hints.map((hint) => hint.message),
		};
	}

	claim(deed: Deed, claim: Claim, said: unknown) {
		this.claims.add(deed, claim, JSON.stringify(said));
	}

	note(wrong: Wrong, example: unknown, count = 1) {
		const { profile } = this.service.account;
		this.figures.note(wrong, `${profile}, ${JSON.stringify(example)}`, count);
	}

	/** Holds what the node said against what the service did and has. */
	async compare() {
		const { control } = this.service;
		const requests = await control.requests();
		this.figures.calls += requests.length;
		for (const { server, headers, operation, path, status, faults } of requests) {
			const isLeaked = server === 'storage' && headers.authorization !== undefined;
			if (isLeaked) this.note('leaked', `the key went to the storage: ${path}`);
			// A slow upload still moves, so no time limit of the node may end it.
			const isUpload = operation === 'upload' || operation === 'putFile';
			const isCut = isUpload && status === null && faults.every((type) => type === 'slowUpload');
			if (isCut) this.note('unexplained', `an upload that moved was cut: ${path}`);
		}
		for (const { fault, happened } of await control.injectedFaults()) {
			this.figures.noteFault(fault.type, happened);
		}
		await control.clearFaults();
		this.claims.compare(await control.ledger(), this.figures);
		for (const [documentId, given] of this.results) {
			const rows = await this.rowsOf(this.main.id, { document_id: documentId });
			this.compareRows(`results of ${documentId}`, rows, given);
		}
	}

	/** Notes rows that are there and were not given, and rows that were given more often. */
	compareRows(what: string, rows: string[], given: string[]) {
		const counts = new Map<string, number>();
		for (const row of given) counts.set(row, (counts.get(row) ?? 0) + 1);
		const missing = rows.filter((row) => !counts.has(row));
		const repeated = [...counts.values()].filter((count) => count > 1);
		if (missing.length > 0) this.note('lost', [what, ...missing.slice(0, 1)], missing.length);
		if (repeated.length > 0) this.note('doubled', what, repeated.length);
	}

	/** The rows of a list, read while nothing goes wrong. */
	async rowsOf(workflowId: string, filter: Record<string, string> = {}): Promise<string[]> {
		const list = `${this.service.url}/api/v1/workflows/${encodeURIComponent(workflowId)}/extractions`;
		const rows: unknown[] = [];
		for (let page = 1, pages = 1; page <= pages; page++) {
			const query = new URLSearchParams({ ...filter, limit: '200', page: String(page) });
			const response = await fetch(`${list}?${query}`, {
				headers: { authorization: `Bearer ${String(this.credential.apiKey)}` },
			});
			const answer = (await response.json()) as { items: unknown[]; pages: number };
			rows.push(...answer.items);
			({ pages } = answer);
		}
		return rows.map((row) => JSON.stringify(row));
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

	private checkSecrets(
		{ errorOutput, error, hints, runData }: NodeRun,
		operation: string,
		done: INodeExecutionData[],
	) {
		const all = JSON.stringify({ runData, error, hints });
		if (all.includes(String(this.credential.apiKey))) this.note('leaked', `${operation}: the key`);
		const own = GIVES_SIGNED_URLS.has(operation) ? [] : done;
		const said = JSON.stringify({ errorOutput, error, hints, own });
		if (SIGNATURE.test(said)) this.note('leaked', `${operation}: a signed URL in ${said}`);
	}
}

function explanationOf({ message, description }: NonNullable<NodeRun['error']>): string {
	return `${message} ${description}`;
}

export function itemOf(pairedItem: INodeExecutionData['pairedItem']): number | undefined {
	return typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : undefined;
}
