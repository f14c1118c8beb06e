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
	column: string;
	isTable: boolean;
	/** Absent: the result does not have what the document says. */
	value?: unknown;
}

/** For all that a document says, the value that a result has of it. */
export const findingsIn = (fileName: string, result: unknown): Finding[] => {
	const values = [...valuesIn(result)];
	return Object.entries(said[fileName]).map(([column, known]) => ({
		column,
		isTable: Array.isArray(known),
		value: values.find((value) => isSame(value, known)),
	}));
};

/**
 * Fails unless a result has all that the document says.
 * @param columns those that count; if left out, all but tables, which are often spread over cells
 */
export function assertSaid(fileName: string, result: unknown, columns?: string[]) {
	const missing = findingsIn(fileName, result)
		.filter(({ value }) => value === undefined)
		.filter(({ column, isTable }) => (columns ? columns.includes(column) : !isTable));
	assert.deepEqual(missing, [], `The result of ${fileName} lacks something.`);
}

/** Fails unless the rows hold what all the documents say, each row under the name of its file. */
export function assertAllSaid(rows: Row[], names = sampleNames, columns?: string[]) {
	assert.deepEqual([...new Set(rows.map(({ fileName }) => fileName))].sort(), names);
	for (const name of names) {
		const own = rows.filter(({ fileName }) => fileName === name);
		assertSaid(name, own, columns);
	}
}

/** The same, with all tables. */
export const assertExtracted = (rows: Row[]) =>
	assertAllSaid(rows, sampleNames, Object.values(said).flatMap(Object.keys));
