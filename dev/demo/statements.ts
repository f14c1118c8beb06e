import { readFile } from 'node:fs/promises';
import { extractText } from 'unpdf';

export interface Column {
	name: string;
	prompt: string;
	type: 'text' | 'number' | 'date' | 'table';
}

/** What a document itself says about a column, in its own words. */
export interface Statement {
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
export async function statementsOf(file: string, columns: Column[]): Promise<Statement[]> {
	const { text } = await extractText(new Uint8Array(await readFile(file)), { mergePages: true });
	const lines = text.split('\n');
	return columns.flatMap((column) => {
		const read = column.type === 'table' ? tableStatement : valueStatement;
		return read(lines, column) ?? [];
	});
}
