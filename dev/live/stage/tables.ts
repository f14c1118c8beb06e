import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { RunningN8n } from '../../n8n/server.ts';
import type { Row } from './samples.ts';

/** The columns of the simulated service that the examples with a data table keep. */
export const keptColumns = ['Document number', 'Supplier', 'Document date', 'Total', 'Currency'];

/**
 * Of the file that an example wrote last, of those whose names begin so: most have the day or the
 * time in their names.
 */
export async function csvRows(folder: string, name: string): Promise<Row[]> {
	const files = (await readdir(folder)).filter((file) => file.startsWith(name)).sort();
	const text = await readFile(join(folder, files.at(-1) ?? name), 'utf8');
	return parse<Row>(text, { columns: true, bom: true });
}

/** Of one of n8n's data tables, in the order in which they came; a row's file is named as in other tables. */
export async function dataTableRows({ rest }: RunningN8n, name: string): Promise<Row[]> {
	const { id } = await rest.get<{ id: string }>('/projects/personal');
	const tables = `/projects/${id}/data-tables`;
	const { data } = await rest.get<{ data: Array<{ id: string; name: string }> }>(tables);
	const table = data.find((candidate) => candidate.name === name);
	if (!table) throw new Error(`n8n has no data table "${name}".`);
	const rows = await rest.get<{ data: Row[] }>(`${tables}/${table.id}/rows`);
	return rows.data.map((row) => ({ ...row, fileName: row.file_name }));
}
