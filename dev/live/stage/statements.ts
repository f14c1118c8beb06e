/** What the sample documents themselves say, against what was extracted from them. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractText } from 'unpdf';
import type { Service } from '../../../test/support/service.ts';

export const samples = fileURLToPath(new URL('../../../examples/files', import.meta.url));
export const sampleNames = (await readdir(samples)).sort();
export const sampleFile = async (name: string) => await readFile(join(samples, name));

/** A row of a table, or the JSON of an item: its cells by their headings. */
export type Row = Record<string, unknown>;

interface Column {
	name: string;
	prompt: string;
	type: 'text' | 'number' | 'date' | 'table';
}

/** What a document itself says about a column, in its own words. */
interface Statement {
	column: Column;
	says(value: unknown): boolean;
}

/** A column is named in a document by its own name or by a label that its prompt quotes. */
const labelsOf = ({ name, prompt }: Column) => [
	name,
	...Array.from(prompt.matchAll(/"([^"]+)"/g), ([, label]) => label),
];

const longDate = (locale: string, date: Date) =>
	new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);

const amount = (locale: string, number: number) =>
	new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(number);

const currencySign = / [€$£]$/;

/** The ways in which the sample documents may write a value. */
function notations({ type }: Column, value: unknown): string[] {
	if (type === 'number' && typeof value === 'number') {
		return ['en', 'de'].map((locale) => amount(locale, value));
	}
	if (type === 'date' && typeof value === 'string' && !Number.isNaN(Date.parse(value))) {
		const date = new Date(value);
		return [value, ...['en-GB', 'en-US', 'de'].map((locale) => longDate(locale, date))];
	}
	return type === 'text' && typeof value === 'string' ? [value] : [];
}

function valueStatement(lines: string[], column: Column): Statement | undefined {
	const starts = labelsOf(column).map((label) => `${label.toLowerCase()}: `);
	for (const line of lines) {
		const start = starts.find((candidate) => line.toLowerCase().startsWith(candidate));
		if (!start) continue;
		const stated = line.slice(start.length).replace(currencySign, '');
		return { column, says: (value) => notations(column, value).includes(stated) };
	}
	return undefined;
}

/** Below the label stands the line of headings, and below that, one line for each row. */
function tableStatement(lines: string[], column: Column): Statement | undefined {
	const start = lines.findIndex((line) => labelsOf(column).includes(line));
	if (start === -1) return undefined;
	const [headings, ...rows] = lines.slice(start + 1);
	return {
		column,
		says: (value) =>
			Array.isArray(value) &&
			value.length > 0 &&
			value.every(
				(row: object, index) =>
					Object.keys(row).join(' ') === headings && Object.values(row).join(' ') === rows[index],
			),
	};
}

/** Reads the document's text anew, apart from whatever the service made of it. */
async function statementsOf(fileName: string, columns: Column[]): Promise<Statement[]> {
	const bytes = new Uint8Array(await sampleFile(fileName));
	const { text } = await extractText(bytes, { mergePages: true });
	const lines = text.split('\n');
	return columns.flatMap((column) => {
		const read = column.type === 'table' ? tableStatement : valueStatement;
		return read(lines, column) ?? [];
	});
}

/** Every value in a result, at any depth: how results are laid out differs by service. */
export function* valuesIn(value: unknown): Generator<unknown> {
	yield value;
	if (typeof value === 'object' && value !== null) {
		for (const inner of Object.values(value)) yield* valuesIn(inner);
	}
}

export interface Finding {
	fileName: string;
	column: string;
	/** Absent: the document says something that none of its results agrees with. */
	value?: unknown;
}

const columnsOf = ({ account }: Service) => account.environments.test.workflows.main.columns;

/** For each of the documents, what it says and what its results say of it; the names of the files stand in `fileName`. */
export async function findingsIn(service: Service, results: Row[]): Promise<Finding[]> {
	const findings = sampleNames.map(async (fileName) => {
		const values = results
			.filter((row) => row.fileName === fileName)
			.flatMap((row) => [...valuesIn(row)]);
		const statements = await statementsOf(fileName, columnsOf(service));
		assert.ok(statements.length > 0, `${fileName} says nothing.`);
		return statements.map(({ column, says }) => ({
			fileName,
			column: column.name,
			value: values.find(says),
		}));
	});
	return (await Promise.all(findings)).flat();
}

/** Fails unless results hold, under the name of each file, all that the document says, with its tables. */
export async function assertExtracted(service: Service, results: Row[]) {
	const missing = (await findingsIn(service, results)).filter(({ value }) => value === undefined);
	assert.deepEqual(missing, []);
}

/** In a file or on a page, a number may be a text. */
const asNumber = (value: unknown) => (typeof value === 'string' && value ? [Number(value)] : []);

/**
 * Fails unless the values include all that the document itself says; tables are spread over cells.
 * @param chosen names of the columns that count; all, if left out
 */
export async function assertSaid(
	service: Service,
	fileName: string,
	values: unknown[],
	chosen?: string[],
) {
	const columns = columnsOf(service).filter(
		({ name, type }) => type !== 'table' && (chosen?.includes(name) ?? true),
	);
	const statements = await statementsOf(fileName, columns);
	assert.ok(statements.length > 0, `${fileName} says nothing.`);
	const candidates = values.flatMap((value) => [value, ...asNumber(value)]);
	for (const { column, says } of statements) {
		assert.ok(candidates.some(says), `${column.name} of ${fileName} is not in the result.`);
	}
}

/** Fails unless the rows hold what all the documents say, each row under the name of its file. */
export async function assertAllSaid(
	service: Service,
	rows: Row[],
	names = sampleNames,
	chosen?: string[],
) {
	assert.deepEqual([...new Set(rows.map(({ fileName }) => fileName))].sort(), names);
	for (const name of names) {
		const own = rows.filter(({ fileName }) => fileName === name);
		await assertSaid(service, name, own.flatMap(Object.values), chosen);
	}
}
