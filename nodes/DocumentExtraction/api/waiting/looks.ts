/** Looks: they read, and note what was seen and when. What it means is not decided here. */
import type { Client } from '../client';
import { fingerprintOf, isObject, levelsOf } from '../details/fields';
import { resultFields } from '../details/responses';
import { finishedStatuses } from '../details/statuses';
import { readDocumentResults } from '../extractions';
import { columnValues } from '../simplify';
import { readActivity } from '../workflow';
import type { DocumentFinder } from './documentFinder';
import type { Look } from './poll';
import type { DocumentFacts, SignFact } from './verdict';

/** A document that is waited for. */
export interface Watched extends Look {
	readonly documentId: string;
	readonly facts: DocumentFacts;
	/** The latest results. */
	rows: unknown[];
	fingerprint?: string;
	/** The last `extraction_status` that was seen of it. */
	status?: unknown;
}

/** What the looks at the workflow have seen. */
export interface WatchedWorkflow {
	readonly signs: SignFact[];
	status?: unknown;
	workflow?: unknown;
}

export async function lookAtStatuses(client: Client, finder: DocumentFinder, documents: Watched[]) {
	const finished = finishedStatuses(client.credential);
	const wanted = new Set(documents.map(({ documentId }) => documentId));
	const statuses = await finder.find(client, wanted);
	for (const document of documents.filter(({ documentId }) => statuses.has(documentId))) {
		document.status = statuses.get(document.documentId);
		const isOver = finished.has(String(document.status));
		document.facts.signs.push({ at: performance.now(), isOver });
	}
}

export async function lookAtWorkflow(client: Client, seen: WatchedWorkflow) {
	const { isExtracting, status, workflow } = await readActivity(client);
	seen.signs.push({ at: performance.now(), isOver: !isExtracting });
	seen.status = status;
	seen.workflow = workflow;
}

/** @param columns what each column may be called, where the workflow's metadata tells */
export async function lookAtResults(client: Client, document: Watched, columns: string[][]) {
	const rows = await readDocumentResults(client, document.documentId);
	const known = knownValues(client, rows);
	const values = known ?? fieldsIn(rows);
	const there = values.filter(({ value }) => value !== null);
	const areThere = columns.every((names) => there.some(({ column }) => names.includes(column)));
	const isMissing = there.length < values.length || !areThere;
	const { results } = document.facts;
	const fingerprint = fingerprintOf(rows);
	const isChange = fingerprint !== document.fingerprint;
	document.rows = rows;
	document.fingerprint = fingerprint;
	results.push({
		at: performance.now(),
		state: (results.at(-1)?.state ?? 0) + Number(isChange),
		values: known && there.length,
		isWhole: columns.length > 0 && areThere ? true : isMissing ? false : undefined,
		isEmpty: rows.length === 0,
	});
}

/** Undefined where the API Details do not tell, or not rightly, where results hold their values. */
function knownValues({ credential }: Client, rows: unknown[]) {
	try {
		const fields = resultFields(credential);
		return fields.values || fields.column ? columnValues(rows, fields) : undefined;
	} catch {
		return undefined;
	}
}

/** Every field of results, wherever it stands; a value that holds a null is none yet. */
function fieldsIn(rows: unknown[]) {
	const holders = [...levelsOf(rows)].flat().filter((value) => typeof value === 'object');
	const holdNull = new Set<unknown>([null]);
	// From the inside out: however deep results are, each value is looked at once.
	for (const holder of holders.reverse()) {
		if (Object.values(holder ?? {}).some((value) => holdNull.has(value))) holdNull.add(holder);
	}
	return holders.filter(isObject).flatMap((holder) =>
		Object.entries(holder).map(([column, value]) => ({
			column,
			value: holdNull.has(value) ? null : (value as unknown),
		})),
	);
}
