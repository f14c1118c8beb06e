import { Readable } from 'node:stream';
import { DetailError } from './answers.ts';
import type { CellValue, Collection, Column, StoredDocument, Workflow } from './model.ts';
import type { PdfTools } from './pdf.ts';
import type { Store } from './store.ts';
import { receive } from './storedFile.ts';

export interface Seed {
	documents: number;
	extractionsPerDocument?: number;
	collection?: Collection;
	prefix?: string;
	/** IDs of the columns that have been extracted; absent: all of the workflow. */
	columns?: Array<Column['id']>;
	/** Puts the results before all others instead of behind them. */
	first?: boolean;
}

/** Makes documents that look as if they had been uploaded and extracted long ago; they share one file. */
export async function seedDocuments(
	store: Store,
	pdfs: PdfTools,
	workflow: Workflow,
	{ documents: count, extractionsPerDocument = 1, collection, prefix = 'SEED', ...seed }: Seed,
): Promise<StoredDocument[]> {
	const wanted = seed.columns?.map(String);
	const columns = workflow.columns.filter(({ id }) => !wanted || wanted.includes(String(id)));
	if (columns.length === 0) throw new DetailError(400, 'The workflow has none of these columns');
	const file = await receive(Readable.from([await pdfs.blank()]));

	const numbers = Array.from({ length: count }, (_, index) => index + 1);
	const documents = numbers.map((number) => {
		const document = store.addDocument(workflow, {
			fileName: `${prefix}-${number}.pdf`,
			contentType: 'application/pdf',
			collection,
			file,
			confirmed: true,
		});
		document.state = 'finished';
		return document;
	});
	const rows = documents.flatMap((document, index) => {
		const fileUrl = store.fileUrl(document);
		// As many results as wanted, however many a profile gives to one set of values.
		for (let set = 1; document.rows.size < extractionsPerDocument; set++) {
			const suffix = set === 1 ? '' : `/${set}`;
			for (const column of columns) {
				const value = seedValue(column, `${prefix}-${index + 1}${suffix}`, index + 1);
				document.values.set(column.id, value);
			}
			const results = [...store.resultsOf(document, fileUrl)];
			for (const [key, row] of results.slice(0, extractionsPerDocument - document.rows.size)) {
				document.rows.set(key + suffix, row);
			}
		}
		return [...document.rows.values()];
	});
	workflow.rows = seed.first ? [...rows, ...workflow.rows] : [...workflow.rows, ...rows];
	return documents;
}

function seedValue({ type }: Column, name: string, number: number): CellValue {
	const day = new Date(Date.UTC(2024, 0, 1 + (number % 366))).toISOString().slice(0, 10);
	if (type === 'number') return number + 0.5;
	if (type === 'date') return day;
	return type === 'table' ? [{ Item: name, Quantity: String(number) }] : name;
}
