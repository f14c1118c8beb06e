import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { findValue } from './columnValues.ts';
import type { CellValue, Column, StoredDocument, Workflow } from './model.ts';
import type { PdfTools } from './pdf.ts';
import type { Settings } from './settings.ts';
import { readLines } from './storedFile.ts';

interface ExtractionChoice {
	columnIds?: Array<Column['id']>;
	force: boolean;
}

interface Job {
	document: StoredDocument;
	columns: Column[];
}

/** Extracts documents in the background, workflow by workflow, in the order of the requests. */
export class Extractor {
	/** For a number of documents of a workflow at a time. */
	private places = new Map<Workflow, LimitFunction>();
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
		this.places.clear();
	}

	private async start(workflow: Workflow, jobs: Job[]) {
		const { signal } = this.stopped;
		if (!(await passed(this.settings().startMs, signal))) return;
		workflow.extracting += jobs.length;
		for (const { document } of jobs) document.state = 'running';
		const { extractionWorkers } = this.settings();
		const places = this.places.get(workflow) ?? pLimit(extractionWorkers);
		places.concurrency = extractionWorkers;
		this.places.set(workflow, places);
		for (const job of jobs) void places(async () => await this.extract(job, signal));
	}

	private async extract(job: Job, signal: AbortSignal) {
		const { document, columns } = job;
		const [values] = await Promise.all([
			valuesOf(job, this.pdfs),
			passed(this.settings().extractionMs, signal),
		]);
		if (signal.aborted) return;
		document.extractions++;
		if (values) await this.reveal(job, values, signal);
		if (signal.aborted) return;
		for (const { id } of columns) document.pending.delete(id);
		document.state = values ? 'finished' : 'failed';
		document.workflow.extracting--;
		if (!values) return;
		for (const [index, { id }] of columns.entries()) document.values.set(id, values[index]);
		const { resultLagMs } = this.settings();
		if (resultLagMs === 0) return this.publish(document);
		// Nobody else waits for it.
		void passed(resultLagMs, signal).then((isOver) => isOver && this.publish(document));
	}

	/** Shows values column by column, where the settings want it. */
	private async reveal({ document, columns }: Job, values: CellValue[], signal: AbortSignal) {
		const { resultShape, resultPauseMs } = this.settings();
		if (resultShape === 'whole') return;
		if (resultShape === 'nulls') {
			for (const { id } of columns) {
				if (!document.values.has(id)) document.values.set(id, null);
			}
			this.publish(document);
		}
		for (const [index, { id }] of columns.entries()) {
			if (!(await passed(resultPauseMs, signal))) return;
			document.values.set(id, values[index]);
			this.publish(document);
		}
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
async function valuesOf({ document, columns }: Job, pdfs: PdfTools) {
	try {
		const lines = document.file ? await readLines(document.file, document.contentType, pdfs) : [];
		return columns.map((column) => findValue(lines, column));
	} catch {
		// A PDF that cannot be read: the document fails, the others go on.
		return undefined;
	}
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
