import type { RunningN8n } from '../n8n/server.ts';
import type { Row } from './stated.ts';

interface Page<T> {
	data: T[];
}

/** The columns of the simulated service that the examples with a data table keep. */
export const keptColumns = ['Document number', 'Supplier', 'Document date', 'Total', 'Currency'];

/** The rows of one of n8n's data tables, in the order in which they came; the name of a row's file as in other tables. */
export async function dataTableRows({ rest }: RunningN8n, name: string): Promise<Row[]> {
	const { id } = await rest.get<{ id: string }>('/projects/personal');
	const tables = `/projects/${id}/data-tables`;
	const { data } = await rest.get<Page<{ id: string; name: string }>>(tables);
	const table = data.find((candidate) => candidate.name === name);
	if (!table) throw new Error(`n8n has no data table "${name}".`);
	const rows = await rest.get<Page<Row>>(`${tables}/${table.id}/rows`);
	return rows.data.map((row) => ({ ...row, fileName: row.file_name }));
}
