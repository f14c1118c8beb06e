/** What documents that were there before show: which columns a document of the workflow has. */
import type { Client } from '../api/client';
import { fingerprintOf } from '../api/details/fields';
import { usableResultFields } from '../api/details/responses';
import { groupedByDocument, readResults } from '../api/extractions';
import { readableValues, type ColumnValue } from '../rows/rows';
import { EMPTY, type Columns } from './values';

/** So many results show the columns. */
const MOST_RESULTS = 100;

/** The results of documents, by ID. */
type Documents = Map<string, unknown[]>;

export interface EarlierDocuments {
	readAt: number;
	documents: Promise<Documents>;
}

export async function readDocuments(client: Client): Promise<Documents> {
	const results = await readResults(client, {}, MOST_RESULTS);
	return new Map(
		groupedByDocument(client, {}, results).flatMap(({ documentId, results }) =>
			documentId === undefined ? [] : [[documentId, results] as const],
		),
	);
}

/** Begins to read documents before a run adds its own; undefined if it is not known where results hold values. */
export function readEarlierDocuments(client: Client): EarlierDocuments | undefined {
	if (!usableResultFields(client.credential)) return undefined;
	const nothing = () => new Map<string, unknown[]>();
	const documents = readDocuments({ ...client, isLook: true }).catch(nothing);
	return { readAt: performance.now(), documents };
}

/**
 * The columns that other documents have. Values of theirs may still be coming in, so there are none
 * unless at least one has not changed.
 * @param later the same documents as they are now, and others
 * @param ours the IDs of documents that show nothing, as they are waited for
 */
export function columnsOf(
	{ credential }: Client,
	earlier: Documents,
	later: Documents,
	ours: string[],
): Columns {
	const fields = usableResultFields(credential);
	const valuesOf = ([id, results]: [string, unknown[]]) =>
		(fields && !ours.includes(id) && readableValues(results, fields)) || [];
	const unchanged = [...earlier].filter(([id, results]) => {
		const now = later.get(id);
		return !now || fingerprintOf(now) === fingerprintOf(results);
	});
	const has = (values: ColumnValue[], name: string) =>
		values.some(({ column, value }) => column === name && !EMPTY.has(value));
	const proven = unchanged.map(valuesOf).filter((values) => values.length > 0);
	if (proven.length === 0) return { all: [], always: [] };
	const all = [...earlier, ...later].flatMap(valuesOf).map(({ column }) => column);
	const names = [...new Set(all)];
	const always = names.filter((name) => proven.every((values) => has(values, name)));
	return { all: names.map((name) => [name]), always: always.map((name) => [name]) };
}
