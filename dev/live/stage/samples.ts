/** What the sample documents say, against what was extracted from them. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import read from './samples.json' with { type: 'json' };

export const samples = fileURLToPath(new URL('../../../examples/files', import.meta.url));
export const sampleNames = (await readdir(samples)).sort();
export const sampleFile = async (name: string) => await readFile(join(samples, name));

/** A row of a table, or the JSON of an item: its cells by their headings. */
export type Row = Record<string, unknown>;

/** By file and column, as a person reads them; what a document does not say is not there. */
const said: Record<string, Row> = read;

/** Every value in a result, at any depth: how results are laid out differs by service. */
export function* valuesIn(value: unknown): Generator<unknown> {
	yield value;
	if (typeof value === 'object' && value !== null) {
		for (const inner of Object.values(value)) yield* valuesIn(inner);
	}
}

/** In a file or on a page, a number may be a text. */
const isSame = (value: unknown, known: unknown) =>
	isDeepStrictEqual(value, known) ||
	(value !== '' && typeof value === 'string' && Number(value) === known);

export interface Finding {
	fileName: string;
	column: string;
	/** Absent: no result has what the document says. */
	value?: unknown;
}

/** For all that the documents say, the value that results have of it; the names of the files stand in `fileName`. */
export const findingsIn = (results: Row[]): Finding[] =>
	Object.entries(said).flatMap(([fileName, columns]) => {
		const own = results.filter((row) => row.fileName === fileName);
		const values = own.flatMap((row) => [...valuesIn(row)]);
		return Object.entries(columns).map(([column, known]) => ({
			fileName,
			column,
			value: values.find((value) => isSame(value, known)),
		}));
	});

/** Fails unless results hold, under the name of each file, all that the document says, with its tables. */
export function assertExtracted(results: Row[]) {
	assert.deepEqual(
		findingsIn(results).filter(({ value }) => value === undefined),
		[],
	);
}

/**
 * Fails unless the values include all that the document says; tables are spread over cells.
 * @param chosen names of the columns that count; all, if left out
 */
export function assertSaid(fileName: string, values: unknown[], chosen?: string[]) {
	for (const [column, known] of Object.entries(said[fileName])) {
		if (Array.isArray(known) || !(chosen?.includes(column) ?? true)) continue;
		const isThere = values.some((value) => isSame(value, known));
		assert.ok(isThere, `${column} of ${fileName} is not in the result.`);
	}
}

/** Fails unless the rows hold what all the documents say, each row under the name of its file. */
export function assertAllSaid(rows: Row[], names = sampleNames, chosen?: string[]) {
	assert.deepEqual([...new Set(rows.map(({ fileName }) => fileName))].sort(), names);
	for (const name of names) {
		const own = rows.filter(({ fileName }) => fileName === name);
		assertSaid(name, own.flatMap(Object.values), chosen);
	}
}
