import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { binaryItem, deleteFile, readBinary } from '../../test/support/binary.ts';
import type { NodeRun } from '../../test/support/nodeEngine.ts';
import type { Wrong } from './figures.ts';
import { brokenPromise, type Claim, type Deed, type Outcome } from './model.ts';
import type { Randomness } from './randomness.ts';
import type { Round } from './round.ts';

const SIGNATURE = /X-Amz-Signature=[0-9a-f]{20,}/;
/** n8n's own words for a status or a code, which say nothing of this service. */
const GENERIC = new RegExp(
	[
		'please check your (parameters|credentials)',
		'could not be found$',
		'from you$',
		'process your request$',
		'perhaps',
		'unknown error',
		'undefined',
		String.raw`\[object`,
	].join('|'),
	'i',
);
/** No upload stalls here, as those that are slow move; and n8n's storage loses nothing. */
const UNTRUE = /^The upload to the (service|storage) stalled|EIO/;
/** Whatever fails says why. */
const isReason = (text: unknown) =>
	typeof text === 'string' && text.length > 10 && !GENERIC.test(text) && !UNTRUE.test(text);
/** After Stop the node lets go of everything at once, in ms. */
const LONGEST_STOP_MS = 1_000;

/** Operations that hand the service's own answer on as it is, the URLs of its files among it. */
const GIVES_SIGNED_URLS = new Set([
	'document createUploadUrl',
	'extraction getAll',
	'extraction extractFromFiles',
	'collection merge',
]);

/** In virtual time: longer than any Max Wait, and than what a key is waited for that is refused. */
const LONGEST_OPERATION_MS = 14_400_000;

export const HANDLINGS = ['continueErrorOutput', 'continueRegularOutput', 'stopWorkflow'] as const;

/** A file of an input item. */
export interface InputFile {
	itemIndex: number;
	field: string;
	content: string;
	/** What it is called where it comes from. */
	givenName?: string;
	/** As its sender declares it. */
	mimeType?: string;
	/** n8n has lost it, or a Code node has made it wrongly. */
	isUnreadable?: boolean;
}

interface RunOptions {
	jsons?: IDataObject[];
	/** Left out: each item carries one on to wherever it goes. */
	files?: InputFile[];
	/** Left out: one that goes on. */
	onError?: (typeof HANDLINGS)[number];
	/** Of n8n's Retry On Fail. */
	maxTries?: number;
}

/** One of a round's operations: how it is run, and what every execution is held to. */
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

	async run(
		parameters: INodeParameters,
		{
			jsons = [{}],
			files = jsons.map((_, itemIndex) => ({ itemIndex, field: 'file', content: `${itemIndex}` })),
			onError = this.random.pick(HANDLINGS.slice(0, 2)),
			maxTries = 1,
		}: RunOptions = {},
	): Promise<Outcome> {
		const { node, mode, weather, figures } = this.round.options;
		const items = await this.itemsOf(jsons, files);
		const startedAt = performance.now();
		const stop = new AbortController();
		const isStopped = weather.stopOneIn > 0 && this.random.between(1, weather.stopOneIn) === 1;
		// From a moment to some minutes, each order of magnitude as often as the others.
		const stopAfterMs = isStopped
			? 10 ** (this.random.between(0, 600) / 100)
			: LONGEST_OPERATION_MS;
		let stoppedAt: number | undefined;
		const timer = setTimeout(() => {
			stoppedAt = performance.now();
			stop.abort();
		}, stopAfterMs);
		const run = await node.runNode({
			credential: this.round.credential,
			parameters,
			items,
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
		const name = `${String(parameters.resource)} ${String(parameters.operation)}`;
		this.checkSecrets(run, name, done);
		if (stoppedAt !== undefined) {
			const lateMs = performance.now() - stoppedAt;
			if (lateMs > LONGEST_STOP_MS) this.note('overlong', `${name} ended ${lateMs} ms after Stop`);
			if (!isStopped) this.note('overlong', `${name} hangs`);
			return { done: [], failed: [], isCanceled: true, hints };
		}
		const reasons = failed.map(({ json }) => [json.error, json.message]);
		let stopped: string | undefined;
		if (onError === 'stopWorkflow' && run.error) {
			figures.failed++;
			reasons.push([run.error.message]);
			stopped = `${run.error.message} ${run.error.description}`;
		} else {
			const paired = new Set(output.flatMap(({ pairedItem }) => [pairedItem].flat().map(itemOf)));
			const lost = items.findIndex((_, index) => !paired.has(index));
			if (lost >= 0) this.note('lost', [`item ${lost} is in no output`, parameters]);
			const { status, error } = run;
			if (status !== 'success' || error) this.note('unexplained', [status, error, parameters]);
		}
		for (const texts of reasons) if (!texts.every(isReason)) this.note('unexplained', texts);
		await this.checkFiles(failed, files);

		const tookMs = performance.now() - startedAt;
		const held = {
			operation: name,
			weather: weather.name,
			isSetUp: node.isSetUp(parameters, this.round.credential),
			waitsByResultsAlone: this.round.waitsByResultsAlone,
		};
		const wrong = brokenPromise(held, reasons.length > 0, tookMs);
		const took = `${name} took ${Math.round(tookMs / 1000)} s, ${weather.name}`;
		if (wrong) this.note(wrong, [took, ...reasons]);
		return { done, failed, stopped, isCanceled: false, hints };
	}

	private async itemsOf(jsons: IDataObject[], files: InputFile[]): Promise<INodeExecutionData[]> {
		const count = Math.max(jsons.length, ...files.map(({ itemIndex }) => itemIndex + 1));
		const { mode } = this.round.options;
		return await Promise.all(
			Array.from({ length: count }, async (_, index) => {
				const own = files.filter(({ itemIndex }) => itemIndex === index);
				const contents = own.map(({ field, content: data, givenName: fileName, mimeType }) => [
					field,
					{ data, fileName, mimeType },
				]);
				const item = await binaryItem({
					json: jsons[index],
					files: Object.fromEntries(contents),
					mode,
				});
				for (const { field } of own.filter(({ isUnreadable }) => isUnreadable)) {
					await makeUnreadable(item, field);
				}
				return item;
			}),
		);
	}

	/** Each failed item comes with the bytes of the files that failed, and no others. */
	private async checkFiles(failed: INodeExecutionData[], files: InputFile[]) {
		for (const item of failed) {
			const fields = Object.keys(item.binary ?? {});
			const own = files.filter(
				({ field, itemIndex }) => fields.includes(field) && itemIndex === itemOf(item.pairedItem),
			);
			let isWhole = own.length > 0 && own.length === fields.length;
			for (const { field, content } of own.filter(({ isUnreadable }) => !isUnreadable)) {
				isWhole &&= String(await readBinary(item, field)) === content;
			}
			if (!isWhole) this.note('fileless', item.json);
		}
	}

	/** Nobody reads a key or a signed URL but where the service's own answer has it. */
	private checkSecrets(
		{ errorOutput, error, hints, runData }: NodeRun,
		operation: string,
		done: INodeExecutionData[],
	) {
		const all = JSON.stringify({ runData, error, hints });
		const key = String(this.round.credential.apiKey);
		if (all.includes(key)) this.note('leaked', `${operation}: the key`);
		if (!SIGNATURE.test(all)) return;
		const own = GIVES_SIGNED_URLS.has(operation) ? [] : done;
		const said = JSON.stringify({ errorOutput, error, hints, own });
		if (SIGNATURE.test(said)) this.note('leaked', `${operation}: a signed URL in ${said}`);
	}
}

/** Its execution is deleted, or in memory: a Code node has put more before the content. */
async function makeUnreadable({ binary = {} }: INodeExecutionData, field: string) {
	const file = binary[field];
	if (file.id) await deleteFile(file.id);
	else file.data = `data:text/plain;base64,${file.data}`;
}

export function itemOf(pairedItem: INodeExecutionData['pairedItem']): number | undefined {
	return typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : undefined;
}
