import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { findValue } from './columnValues.ts';
import { readLines } from './documentText.ts';
import type { CellValue, Column, StoredDocument, Workflow } from './model.ts';
import type { PdfTools } from './pdf.ts';
import type { ExtractionChoice } from './profiles/profile.ts';
import type { Settings } from './settings.ts';

interface Job {
	document: StoredDocument;
	columns: Column[];
}

/** Without values where the file cannot be read. */
type DoneJob = Job & { values: CellValue[] | undefined };

/** Extracts documents in the background, workflow by workflow, in the order of the requests. */
export class Extractor {
	private queues = new Map<Workflow, Job[]>();
	private stopped = stopper();

	constructor(
		private readonly settings: () => Settings,
		private readonly publish: (document: StoredDocument) => void,
		private readonly pdfs: PdfTools,
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
		this.stopped = stopper();
		this.queues.clear();
	}

	private async start(workflow: Workflow, jobs: Job[]) {
		const { signal } = this.stopped;
		if (!(await passed(this.settings().startMs, signal))) return;
		workflow.extracting += jobs.length;
		for (const { document } of jobs) document.state = 'running';
		const queue = this.queues.get(workflow);
		if (queue) return void queue.push(...jobs);

		this.queues.set(workflow, jobs);
		while (jobs.length > 0) {
			const { extractionWorkers, extractionMs } = this.settings();
			const batch = jobs.splice(0, extractionWorkers);
			const [waited, extracted] = await Promise.all([
				passed(extractionMs, signal),
				Promise.all(batch.map(async (job) => await extract(job, this.pdfs))),
			]);
			if (!waited) return;
			const done = batch.map((job, index) => ({ ...job, values: extracted[index] }));
			for (const { document } of done) document.extractions++;
			if (!(await this.reveal(done, signal))) return;
			for (const job of done) finish(job);
			workflow.extracting -= batch.length;
			this.publishLate(done, signal);
		}
		this.queues.delete(workflow);
	}

	/** Shows values column by column, where the settings want it. */
	private async reveal(jobs: DoneJob[], signal: AbortSignal) {
		const { resultShape, resultPauseMs } = this.settings();
		if (resultShape === 'whole') return true;
		const readable = jobs.filter(({ values }) => values);
		if (resultShape === 'nulls') {
			for (const { document, columns } of readable) {
				for (const { id } of columns) {
					if (!document.values.has(id)) document.values.set(id, null);
				}
				this.publish(document);
			}
		}
		const most = Math.max(...jobs.map(({ columns }) => columns.length));
		for (let column = 0; column < most; column++) {
			if (!(await passed(resultPauseMs, signal))) return false;
			for (const { document, columns, values } of readable) {
				if (values && column < columns.length) {
					document.values.set(columns[column].id, values[column]);
					this.publish(document);
				}
			}
		}
		return true;
	}

	/** Otherwise a document does not look finished before its results can be read. */
	private publishLate(jobs: DoneJob[], signal: AbortSignal) {
		const { resultLagMs } = this.settings();
		const publish = () => {
			for (const { document, values } of jobs) if (values) this.publish(document);
		};
		if (resultLagMs === 0) return publish();
		// Nobody else waits for it.
		void passed(resultLagMs, signal).then((isOver) => isOver && publish());
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
async function extract(
	{ document, columns }: Job,
	pdfs: PdfTools,
): Promise<CellValue[] | undefined> {
	try {
		const lines = document.file ? await readLines(document.file, document.contentType, pdfs) : [];
		return columns.map((column) => findValue(lines, column));
	} catch {
		// A PDF that cannot be read: the document fails, the others go on.
		return undefined;
	}
}

function finish({ document, columns, values }: DoneJob) {
	for (const [index, { id }] of columns.entries()) {
		if (values) document.values.set(id, values[index]);
		document.pending.delete(id);
	}
	document.state = values ? 'finished' : 'failed';
}

/** Any number of extractions may wait for their turn at once. */
function stopper() {
	const stopped = new AbortController();
	setMaxListeners(0, stopped.signal);
	return stopped;
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
