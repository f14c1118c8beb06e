import { readFile } from 'node:fs/promises';
import { until } from '../../machine/until.ts';
import { documents } from '../documents.ts';
import type { Case } from '../stage.ts';
import type { Worker } from '../worker.ts';

const documentCount = 30;
const atOnce = 20;
const extractionMs = 3_000;

/** How many files the node has uploaded on this worker, as n8n's log has it. */
const uploadsOn = async ({ logFile }: Worker) =>
	(await readFile(logFile, 'utf8')).split('Document Extraction: uploaded').length - 1;

export const orderlyEnd: Case = {
	title: 'a worker that is replaced finishes what it has in hand',

	run: async ({ cluster, service, intake, assertAllOnce }) => {
		await service.control.settings({ extractionMs });
		const sent = documents(documentCount);
		const [leaving] = cluster.workers;
		const uploads = await uploadsOn(leaving);

		const answering = intake.sendAll(sent, atOnce);
		// n8n 2.41 does not wait for jobs that it is still reading from the database: where it has no
		// other, it closes the database on them, and they fail. So it has some in hand for certain.
		await until(async () => (await uploadsOn(leaving)) > uploads);
		await leaving.end();
		await cluster.addWorker();
		const answers = await answering;

		await assertAllOnce(sent, answers);
	},
};
