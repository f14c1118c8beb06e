import { randomUUID } from 'node:crypto';
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
import type { Figures } from './figures.ts';
import type { Randomness } from './randomness.ts';

const SIGNATURE = /X-Amz-Signature=[0-9a-f]{20,}/;
/** An operation that takes longer hangs, in real ms. */
const LONGEST_OPERATION_MS = 30_000;

export interface SoakFile {
	name: string;
	field: string;
	content: string;
	/** A value that is extracted from this file and no other. */
	value: string;
}

/** A number of operations on a fresh service, and what is claimed of them. */
export class Round {
	readonly claims = new Claims();
	/** Documents with results, each to be extracted again once. */
	documents: string[] = [];
	/** The rows of the second workflow's lists, which no operation changes. */
	rows: string[] = [];
	private running = '';

	constructor(
		readonly service: Service,
		readonly credential: ICredentialDataDecryptedObject,
		readonly random: Randomness,
		readonly figures: Figures,
	) {}

	get main() {
		return this.service.account.environments.test.workflows.main;
	}

	get second() {
		return this.service.account.environments.test.workflows.second;
	}

	/** Runs the node as a workflow does, with its error output in use. */
	async run(parameters: INodeParameters, items: INodeExecutionData[], mode: BinaryMode = 'memory') {
		this.running = `${String(parameters.resource)} › ${String(parameters.operation)}`;
		const run = await runNode({
			credential: this.credential,
			parameters,
			items,
			binaryMode: mode,
			onError: 'continueErrorOutput',
			signal: AbortSignal.timeout(LONGEST_OPERATION_MS),
		});
		this.figures.operations++;
		this.figures.done += run.output.length;
		this.figures.failed += run.errorOutput.length;
		this.checkReasons(run);
		this.checkSecrets(run);
		return run;
	}

	/** Items with one to three new files. */
	async fileItems(mode: BinaryMode): Promise<{ items: INodeExecutionData[]; files: SoakFile[] }> {
		const files: SoakFile[] = [];
		const items: INodeExecutionData[] = [];
		for (let item = this.random.between(1, 3); item > 0; item--) {
			const own = Array.from({ length: this.random.between(1, 2) }, (_, index): SoakFile => {
				const value = `N${randomUUID().replaceAll('-', '')}`;
				return {
					name: `${value}.txt`,
					field: `attachment_${index}`,
					content: `Supplier: ${value}\n${'.'.repeat(this.random.between(0, 90_000))}`,
					value,
				};
			});
			files.push(...own);
			items.push(
				await binaryItem({
					files: Object.fromEntries(
						own.map(({ name, field, content }) => [
							field,
							{ data: content, fileName: name, mimeType: 'text/plain' },
						]),
					),
					mode,
				}),
			);
		}
		return { items, files };
	}

	/** Each failed file must come with its own bytes. */
	async checkFiles(failed: INodeExecutionData[], files: SoakFile[]) {
		for (const item of failed) {
			const fields = Object.keys(item.binary ?? {});
			const wanted = files.filter(({ field, name }) => item.binary?.[field]?.fileName === name);
			const contents = await Promise.all(
				wanted.map(async ({ field }) => (await readBinary(item, field)).toString()),
			);
			const isWhole = wanted.every(({ content }, index) => content === contents[index]);
			if (wanted.length === 0 || wanted.length !== fields.length || !isWhole) {
				this.note('fileless', JSON.stringify(item.json));
			}
		}
	}

	/** Notes what the node says of a deed: by an item of its output, else by the one that failed. */
	claim(deed: Deed, done: INodeExecutionData | undefined, failed?: INodeExecutionData) {
		const reason = JSON.stringify(failed?.json ?? {});
		this.claims.add(deed, done ? 'done' : failed ? claimOf(failed) : 'not done', reason);
	}

	note(kind: Parameters<Figures['note']>[0], example: string, count = 1) {
		this.figures.note(kind, `${this.service.account.profile}, ${this.running}: ${example}`, count);
	}

	private checkReasons({ errorOutput, error, status }: NodeRun) {
		for (const { json } of errorOutput) {
			const isExplained = [json.error, json.message].every(
				(text) => typeof text === 'string' && text.length > 10,
			);
			if (!isExplained) this.note('unexplained', JSON.stringify(json));
		}
		if (error) this.note('unexplained', `the run ended: ${error.message}`);
		if (status !== 'success') this.note('unexplained', `the run's status is ${status}`);
	}

	private checkSecrets({ output, errorOutput, error, hints, runData }: NodeRun) {
		const key = String(this.credential.apiKey);
		if (JSON.stringify({ runData, error, hints }).includes(key)) this.note('leaked', 'the key');
		const uploads = this.running === 'document › upload' ? output : [];
		const said = JSON.stringify({ errorOutput, error, hints, uploads });
		if (SIGNATURE.test(said)) this.note('leaked', `a signed URL: ${said.slice(0, 500)}`);
	}
}

/** An ID lets the user look; the node gives one where the document exists. */
function claimOf({ json }: INodeExecutionData): Claim {
	return /The outcome is unknown|The extraction is started|Document ID: /.test(String(json.message))
		? 'perhaps'
		: 'not done';
}
