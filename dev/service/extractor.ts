import { setTimeout as sleep } from 'node:timers/promises';
import { findValue } from './columnValues.ts';
import { readLines } from './documentText.ts';
import type { CellValue, Column, StoredDocument, Workflow } from './model.ts';
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
			const [waited, extracted] = await Promise.all([
				passed(extractionMs, signal),
				Promise.all(batch.map(extract)),
			]);
			if (!waited) return;

			// Only now: a document must not look finished before its results can be read.
			for (const [index, job] of batch.entries()) {
				finish(job, extracted[index]);
				this.publish(job.document);
			}
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

/** The values in the order of the job's columns; none for a file that cannot be read. */
async function extract({ document, columns }: Job): Promise<CellValue[] | undefined> {
	try {
		const lines = document.file ? await readLines(document.file, document.contentType) : [];
		return columns.map((column) => findValue(lines, column));
	} catch {
		// A PDF that cannot be read: the document fails, the others go on.
		return undefined;
	}
}

function finish({ document, columns }: Job, values: CellValue[] | undefined) {
	for (const [index, { id }] of columns.entries()) {
		if (values) document.values.set(id, values[index]);
		document.pending.delete(id);
	}
	document.state = values ? 'finished' : 'failed';
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
