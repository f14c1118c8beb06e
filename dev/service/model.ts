export type JsonSchema = Record<string, unknown>;

export type Environment = 'test' | 'live';

export type ColumnType = 'text' | 'number' | 'date' | 'table';

export interface Column {
	id: string | number;
	name: string;
	prompt: string;
	type: ColumnType;
}

export interface Collection {
	id: string;
	name: string;
}

export type Stage = Collection;

export interface StoredFile {
	/** The whole file, or the beginning of a very long one. */
	bytes: Buffer;
	size: number;
	sha256: string;
}

export type CellValue = string | number | null | Array<Record<string, string>>;

/** A line of a document, as cells from left to right. */
export type Line = string[];

/** Values of one document, by the ID of the column. */
export type Values = Map<Column['id'], CellValue>;

/** One entry of the list of extractions. */
export interface ResultRow {
	document: StoredDocument;
	body: unknown;
	/** What it tells, by the name of the column. */
	values: Array<[column: string, value: CellValue]>;
}

export interface StoredDocument {
	id: string;
	workflow: Workflow;
	/** Its name in the storage. */
	objectKey: string;
	/** How often a file was put to its upload URL. */
	puts: number;
	fileName: string;
	contentType: string;
	/** Absent until the file of a signed upload has arrived. */
	file?: StoredFile;
	collection?: Collection;
	stage: Stage;
	/** A document of a signed upload cannot be extracted before it is confirmed. */
	confirmed: boolean;
	state: 'waiting' | 'running' | 'finished' | 'failed';
	values: Values;
	/** Columns that wait for their extraction or are in it. */
	pending: Set<Column['id']>;
	/** How often it has been extracted. */
	extractions: number;
	/** Each of its results by what tells it from the others. */
	rows: Map<string, ResultRow>;
	createdAt: Date;
}

export interface MergedDocument {
	key: string;
	fileName: string;
	bytes: Buffer;
}

export interface WorkflowPlan {
	id: string;
	environment: Environment;
	name: string;
	columns: Column[];
	collections: Collection[];
	stages: Stage[];
}

export interface Workflow extends WorkflowPlan {
	documents: Map<string, StoredDocument>;
	/** In the order in which the results were made. */
	rows: ResultRow[];
	/** Documents in extraction at this moment. */
	extracting: number;
	/** Until then the workflow looks busy, as if another user were extracting. */
	busyUntil: number;
}
