import { setTimeout as sleep } from 'node:timers/promises';
import { findValue } from './columnValues.ts';
import { readLines } from './documentText.ts';
import type { Column, StoredDocument, Workflow } from './model.ts';
import type { ExtractionChoice } from './profiles/profile.ts';
import type { Settings } from './settings.ts';

interface Job {
	document: StoredDocument;
	columns: Column[];
}

/** Extracts documents in the background, workflow by workflow, in the order of the requests. */
export class Extractor {
	private queues = new Map<Workflow, Job[]>();
	private stopped = new AbortController();

	constructor(
		private readonly settings: () => Settings,
		private readonly publish: (document: StoredDocument) => void,
	) {}

	/** Gives back the documents that have something left to extract. */
	trigger(workflow: Workflow, documents: StoredDocument[], choice: ExtractionChoice) {
		const jobs = documents
			.map((document) => ({ document, columns: openColumns(document, choice) }))
			.filter(({ columns }) => columns.length > 0);

		for (const { document, columns } of jobs) {
			for (const { id } of columns) document.pending.add(id);
		}
		if (jobs.length > 0) void this.start(workflow, jobs);
		return jobs.map(({ document }) => document);
	}

	/** Drops whatever is under way. */
	stop() {
		this.stopped.abort();
		this.stopped = new AbortController();
		this.queues.clear();
	}

	private async start(workflow: Workflow, jobs: Job[]) {
		const { signal } = this.stopped;
		if (!(await passed(this.settings().startMs, signal))) return;

		workflow.extracting += jobs.length;
		for (const { document } of jobs) document.state = 'running';

		const queue = this.queues.get(workflow);
		if (queue) {
			queue.push(...jobs);
			return;
		}
		this.queues.set(workflow, jobs);
		await this.work(workflow, jobs, signal);
	}

	private async work(workflow: Workflow, queue: Job[], signal: AbortSignal) {
		while (queue.length > 0) {
			const { extractionWorkers, extractionMs } = this.settings();
			const batch = queue.splice(0, extractionWorkers);
			const [waited] = await Promise.all([
				passed(extractionMs, signal),
				...batch.map((job) => extract(job)),
			]);
			if (!waited) return;

			for (const { document } of batch) this.publish(document);
			workflow.extracting -= batch.length;
		}
		this.queues.delete(workflow);
	}
}

function openColumns(document: StoredDocument, { columnIds, force }: ExtractionChoice) {
	const wanted = columnIds?.map(String);
	return document.workflow.columns.filter(
		({ id }) =>
			(!wanted || wanted.includes(String(id))) &&
			(force || !(document.values.has(id) || document.pending.has(id))),
	);
}

async function extract({ document, columns }: Job) {
	try {
		const lines = document.file ? await readLines(document.file, document.contentType) : [];
		for (const column of columns) document.values.set(column.id, findValue(lines, column));
		document.state = 'finished';
	} catch {
		// A PDF that cannot be read: the document fails, the others go on.
		document.state = 'failed';
	}
	for (const { id } of columns) document.pending.delete(id);
}

/** False when the service was stopped or reset meanwhile. */
async function passed(ms: number, signal: AbortSignal) {
	try {
		await sleep(ms, undefined, { signal });
		return true;
	} catch {
		return false;
	}
}
