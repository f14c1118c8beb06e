import Table from 'cli-table3';
import type { FileFindings } from './findings.ts';

const shown = (value: unknown) => {
	if (value === undefined) return 'MISSING';
	return Array.isArray(value) ? `${value.length} rows` : String(value);
};

export function findingsTable(files: FileFindings[]): string {
	const table = new Table({ head: ['File', 'Column', 'Value'], style: { head: [], border: [] } });
	table.push(
		...files.map(({ fileName, findings }) => [
			fileName,
			findings.map(({ column }) => column.name).join('\n'),
			findings.map(({ value }) => shown(value)).join('\n'),
		]),
	);
	return table.toString();
}
