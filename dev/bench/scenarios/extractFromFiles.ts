import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coreExtraction } from '../flows/core.ts';
import { ourExtraction } from '../flows/own.ts';
import type { Scenario } from '../measure.ts';
import { requireAllOnce, type Stage } from '../stage.ts';

const ours = 'this node';
const core = 'core nodes';
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

/** From 100 files to the values in each. */
export async function extractFromFiles(stage: Stage): Promise<Scenario> {
	const account = await stage.account();
	const { service } = account;
	const folder = await copySamples(join(stage.folder, 'documents'));

	const place = { n8n: stage.n8n, account, count: fileCount };

	return {
		title: `Extract From Files, ${fileCount} files`,
		unit: 'seconds',
		prepare: async (round) => {
			await service.control.reset();
			const extractionMs = extractionTimes[Math.abs(round) % extractionTimes.length];
			await service.control.settings({ extractionMs });
			// A workflow that has been used before: its results show the columns.
			await service.control.seed({ documents: 5 });
		},
		check: async () => await requireAllOnce(service, fileCount),
		contenders: [
			{ name: ours, ...(await ourExtraction({ ...place, name: 'extraction' }, folder)) },
			{ name: core, ...(await coreExtraction({ ...place, name: 'core extraction' }, folder)) },
		],
		goals: [{ of: ours, by: core, atMost: 1.05 }],
	};
}
