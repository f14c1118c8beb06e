import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contender, Scenario } from '../../measure/measure.ts';
import { coreExtraction } from '../flows/core.ts';
import type { Flow } from '../flows/flow.ts';
import { ourExtraction, type UploadKind } from '../flows/own.ts';
import type { Stage } from '../stage.ts';
import { requireAllOnce } from './ledger.ts';

const fileCount = 100;
/**
 * In ms a document. The service takes eight at a time, so the whole extraction lasts a fifth of a
 * second longer from one to the next: who asks once a second has waited too long by any part of it.
 */
const extractionTimes = [300, 316, 331, 347, 362];
const samples = fileURLToPath(new URL('../../../examples/files', import.meta.url));

/** It lacks values, which the node waits for longer, by design. */
const incomplete = 'delivery-note-brightwell.pdf';

/** Documents that can really be read, over and over, each with a value for each column. */
async function copySamples(folder: string): Promise<string> {
	await mkdir(folder);
	const names = (await readdir(samples)).filter((name) => name !== incomplete);
	for (let number = 0; number < fileCount; number++) {
		const name = names[number % names.length];
		await copyFile(join(samples, name), join(folder, `${number}-${name}`));
	}
	return folder;
}

/** From 100 files to the values in each, by either upload. */
export async function extractFromFiles(stage: Stage): Promise<Scenario> {
	const account = await stage.account();
	const { service } = account;
	const folder = await copySamples(join(stage.folder, 'documents'));

	const extraction = (name: string, flow: Flow): Contender => ({
		name,
		nodes: flow.nodes,
		run: async () => {
			const { seconds, answer } = await flow.run();
			const [distinct] = Object.values((answer ?? {}) as Record<string, number>);
			if (distinct !== fileCount) {
				throw new Error(`'${name}' gave results of ${distinct} documents, not of ${fileCount}.`);
			}
			await requireAllOnce(service, fileCount);
			return { seconds };
		},
	});
	const pair = async (kind: UploadKind) => {
		const place = (name: string) => ({ n8n: stage.n8n, account, name: `${name} ${kind}` });
		return [
			extraction(`this node, ${kind}`, await ourExtraction(place('extraction'), folder, kind)),
			extraction(
				`core nodes, ${kind}`,
				await coreExtraction(place('core extraction'), folder, kind),
			),
		];
	};

	return {
		id: 'extract-from-files',
		title: `Extract From Files, ${fileCount} files`,
		quantity: 'seconds',
		unit: 's',
		prepare: async (round) => {
			await service.control.reset();
			const extractionMs = extractionTimes[Math.abs(round) % extractionTimes.length];
			await service.control.settings({ extractionMs });
			// A workflow that has been used before: its results show the columns.
			await service.control.seed({ documents: 5 });
		},
		contenders: [...(await pair('direct')), ...(await pair('signed'))],
		goals: (['direct', 'signed'] as const).map((kind) => ({
			text: `time of the flow of core nodes, ${kind} upload`,
			quantity: 'seconds',
			of: `this node, ${kind}`,
			by: `core nodes, ${kind}`,
			atMost: 1.1,
		})),
	};
}
