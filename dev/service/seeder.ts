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
		this.file ??= this.makeFile();
		const file = await this.file;

		const documents: StoredDocument[] = [];
		const rows: ResultRow[] = [];
		for (let number = 1; number <= count; number++) {
			const document = this.store.addDocument(workflow, {
				fileName: `${prefix}-${number}.pdf`,
				contentType: 'application/pdf',
				collection: seed.collection,
				file,
				confirmed: true,
			});
			document.state = 'finished';
			documents.push(document);
			rows.push(...this.makeRows(document, columns, prefix, number, extractionsPerDocument));
		}

		workflow.rows = seed.first ? [...rows, ...workflow.rows] : [...workflow.rows, ...rows];
		return documents;
	}

	/** As many results as wanted, however many a profile gives to one set of values. */
	private makeRows(
		document: StoredDocument,
		columns: Column[],
		prefix: string,
		number: number,
		count: number,
	) {
		const rows: ResultRow[] = [];
		const fileUrl = this.store.fileUrl(document);
		for (let set = 1; rows.length < count; set++) {
			const name = set === 1 ? `${prefix}-${number}` : `${prefix}-${number}/${set}`;
			for (const column of columns) {
				document.values.set(column.id, seedValue(column, name, number));
			}
			const results = [...this.store.resultsOf(document, fileUrl)];
			for (const [key, row] of results.slice(0, count - rows.length)) {
				document.rows.set(set === 1 ? key : `${key}/${set}`, row);
				rows.push(row);
			}
		}
		return rows;
	}

	private async makeFile() {
		return await this.files.save(Readable.from([await this.pdfs.blank()]));
	}
}

function seedValue({ type }: Column, name: string, number: number): CellValue {
	if (type === 'number') return number + 0.5;
	if (type === 'date')
		return new Date(Date.UTC(2024, 0, 1 + (number % 366))).toISOString().slice(0, 10);
	if (type === 'table') return [{ Item: name, Quantity: String(number) }];
	return name;
}
