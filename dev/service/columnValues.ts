import { format, isValid, parse } from 'date-fns';
import { de, enGB } from 'date-fns/locale';
import type { CellValue, Column, Line } from './model.ts';

/** The value of a column in a text: what stands after one of the column's labels. */
export function findValue(lines: Line[], column: Column): CellValue {
	const labels = labelsOf(column);
	if (column.type === 'table') return findTable(lines, labels);

	const text = findText(lines, labels);
	if (text === null) return null;
	if (column.type === 'number') return parseNumber(text);
	if (column.type === 'date') return parseDate(text);
	return text;
}

/** The column's name, and what its prompt puts in quotation marks. */
function labelsOf({ name, prompt }: Column) {
	const quoted = Array.from(prompt.matchAll(/"([^"]+)"/g), ([, label]) => label);
	return [name, ...quoted].map((label) => label.toLowerCase());
}

function findText(lines: Line[], labels: string[]): string | null {
	for (const cells of lines) {
		for (const [index, cell] of cells.entries()) {
			const [head, ...rest] = cell.split(':');
			if (!labels.includes(head.trim().toLowerCase())) continue;
			const value = rest.join(':').trim() || cells[index + 1];
			if (value) return value;
		}
	}
	return null;
}

/** The lines below the label and a line of headings, while they have as many cells. */
function findTable(lines: Line[], labels: string[]): CellValue {
	const start = lines.findIndex(
		(cells) =>
			cells.length === 1 && labels.includes(cells[0].replace(/:$/, '').trim().toLowerCase()),
	);
	if (start === -1) return null;

	const headings = lines[start + 1] ?? [];
	const body = lines.slice(start + 2);
	const end = body.findIndex((cells) => cells.length !== headings.length);
	return body
		.slice(0, end === -1 ? undefined : end)
		.map((cells) => Object.fromEntries(headings.map((heading, i) => [heading, cells[i]])));
}

/** Reads `1,234.50` as well as `1.234,50`. */
function parseNumber(text: string): number | null {
	const digits = /-?\d[\d.,'’ ]*/.exec(text)?.[0].replace(/['’ ]/g, '');
	if (digits === undefined) return null;
	const [, whole, fraction = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(digits) ?? [];
	return Number(`${whole.replace(/[.,]/g, '')}.${fraction || '0'}`);
}

const dateForms: Array<[string, { locale: typeof enGB }]> = [
	['yyyy-MM-dd', { locale: enGB }],
	['d MMMM yyyy', { locale: enGB }],
	['MMMM d, yyyy', { locale: enGB }],
	['dd.MM.yyyy', { locale: de }],
	['d. MMMM yyyy', { locale: de }],
];

function parseDate(text: string): string | null {
	for (const [form, options] of dateForms) {
		const date = parse(text, form, new Date(0), options);
		if (isValid(date)) return format(date, 'yyyy-MM-dd');
	}
	return null;
}
