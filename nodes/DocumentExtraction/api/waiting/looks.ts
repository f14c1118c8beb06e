/** Looks: they read, and note what was seen and when. What it means is not decided here. */
import { settled } from '../../http/concurrency';
import type { Client } from '../client';
import { fingerprintOf } from '../details/fields';
import { finishedStatuses } from '../details/statuses';
import type { DocumentFinder } from '../documentFinder';
import { readDocumentResults } from '../extractions';
import { columnNames } from '../structure';
import { valuesThere } from '../values';
import { readActivity, type WorkflowActivity } from '../workflow';
import type { Look } from './poll';
import { note, type Facts } from './verdict';

/** A document, or the workflow, that is waited for. */
export interface Watched extends Look {
	readonly id: string;
	readonly facts: Facts;
	/** The latest results. */
	results: unknown[];
	/** The last `extraction_status` of the document. */
	status?: unknown;
}

/** What the looks at the workflow have seen. */
export interface WatchedWorkflow {
	readonly signs: Facts['signs'];
	latest?: WorkflowActivity;
}

export async function lookAtStatuses(client: Client, finder: DocumentFinder, documents: Watched[]) {
	const finished = finishedStatuses(client.credential);
	const statuses = await finder.find(client, new Set(documents.map(({ id }) => id)));
	for (const document of documents.filter(({ id }) => statuses.has(id))) {
		document.status = statuses.get(document.id);
		note(document.facts.signs, 'isOver', { isOver: finished.has(String(document.status)) });
	}
}

export async function lookAtWorkflow(client: Client, workflow: WatchedWorkflow) {
	const read = await settled(readActivity(client));
	note(workflow.signs, 'isOver', { isOver: read.error ? undefined : !read.value.isExtracting });
	if (read.error) throw read.error;
	workflow.latest = read.value;
}

/** @param columnIds the columns that are extracted; none for all */
export async function lookAtResults(
	client: Client,
	document: Watched,
	{ latest }: WatchedWorkflow,
	columnIds: string[],
) {
	document.results = await readDocumentResults(client, document.id);
	note(document.facts.results, 'fingerprint', {
		fingerprint: fingerprintOf(document.results),
		isEmpty: document.results.length === 0,
		...valuesThere(client, document.results, columnNames(latest?.workflow, columnIds)),
	});
}
