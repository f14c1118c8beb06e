import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import { type Column, type Statement, statementsOf } from './statements.ts';

export interface Finding {
	column: Column;
	/** Absent: the document says something that none of its results agrees with. */
	value?: unknown;
}

export interface FileFindings {
	fileName: string;
	findings: Finding[];
}

/** Every value in a result, at any depth: how results are laid out differs by service. */
export function* valuesIn(value: unknown): Generator<unknown> {
	yield value;
	if (typeof value === 'object' && value !== null) {
		for (const inner of Object.values(value)) yield* valuesIn(inner);
	}
}

const finding = ({ column, says }: Statement, values: unknown[]): Finding => ({
	column,
	value: values.find(says),
});

/**
 * Compares the results, as Simplify gives them, with the text of the documents that they were
 * extracted from.
 */
export async function findingsIn(
	folder: string,
	columns: Column[],
	results: INodeExecutionData[],
): Promise<FileFindings[]> {
	const fileNames = (await readdir(folder)).sort();
	return await Promise.all(
		fileNames.map(async (fileName) => {
			const values = results
				.filter(({ json }) => json.fileName === fileName)
				.flatMap(({ json }) => [...valuesIn(json)]);
			const statements = await statementsOf(join(folder, fileName), columns);
			return { fileName, findings: statements.map((statement) => finding(statement, values)) };
		}),
	);
}

/** Whether every document says something, and everything that it says was extracted. */
export const nothingMissing = (files: FileFindings[]) =>
	files.length > 0 &&
	files.every(
		({ findings }) => findings.length > 0 && findings.every(({ value }) => value !== undefined),
	);
