import { Readable } from 'node:stream';
import { DetailError } from './answers.ts';
import type { FileStore } from './fileStore.ts';
import type {
	CellValue,
	Collection,
	Column,
	ResultRow,
	StoredDocument,
	StoredFile,
	Workflow,
} from './model.ts';
import type { PdfTools } from './pdf.ts';
import type { Store } from './store.ts';

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

/** Makes documents that look as if they had been uploaded and extracted long ago. */
export class Seeder {
	/** Seeded documents share one file. */
	private file?: Promise<StoredFile>;

	constructor(
		private readonly store: Store,
		private readonly files: FileStore,
		private readonly pdfs: PdfTools,
	) {}

	reset() {
		this.file = undefined;
	}

	async seed(workflow: Workflow, seed: Seed): Promise<StoredDocument[]> {
		const { documents: count, extractionsPerDocument = 1, prefix = 'SEED' } = seed;
		const wanted = seed.columns?.map(String);
		const columns = workflow.columns.filter(({ id }) => !wanted || wanted.includes(String(id)));
		if (columns.length === 0) throw new DetailError(400, 'The workflow has none of these columns');
		this.file ??= this.pdfs.blank().then((pdf) => this.files.save(Readable.from([pdf])));
		const file = await this.file;

		const documents = Array.from({ length: count }, (_, index) => {
			const document = this.store.addDocument(workflow, {
				fileName: `${prefix}-${index + 1}.pdf`,
				contentType: 'application/pdf',
				collection: seed.collection,
				file,
				confirmed: true,
			});
			document.state = 'finished';
			return document;
		});
		const rows = documents.flatMap((document, index) =>
			this.makeRows(document, columns, `${prefix}-${index + 1}`, index + 1, extractionsPerDocument),
		);
		workflow.rows = seed.first ? [...rows, ...workflow.rows] : [...workflow.rows, ...rows];
		return documents;
	}

	/** As many results as wanted, however many a profile gives to one set of values. */
	private makeRows(
		document: StoredDocument,
		columns: Column[],
		name: string,
		number: number,
		count: number,
	) {
		const rows: ResultRow[] = [];
		const fileUrl = this.store.fileUrl(document);
		for (let set = 1; rows.length < count; set++) {
			const suffix = set === 1 ? '' : `/${set}`;
			for (const column of columns) {
				document.values.set(column.id, seedValue(column, name + suffix, number));
			}
			const results = [...this.store.resultsOf(document, fileUrl)];
			for (const [key, row] of results.slice(0, count - rows.length)) {
				document.rows.set(key + suffix, row);
				rows.push(row);
			}
		}
		return rows;
	}
}

function seedValue({ type }: Column, name: string, number: number): CellValue {
	const day = new Date(Date.UTC(2024, 0, 1 + (number % 366))).toISOString().slice(0, 10);
	if (type === 'number') return number + 0.5;
	if (type === 'date') return day;
	return type === 'table' ? [{ Item: name, Quantity: String(number) }] : name;
}
