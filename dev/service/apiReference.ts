/** What the service does, as its API reference will say it in whichever form. */
import type { Operation } from './operations.ts';

export type JsonSchema = Record<string, unknown>;

/** An answer as the API reference describes it; without `schema` it is empty. */
export interface DescribedAnswer {
	status: number;
	schema?: JsonSchema;
	/** Absent: JSON. */
	contentType?: string;
}

/** A multipart form: its file field, and its other fields. */
export interface UploadForm {
	file: string;
	fields: Record<string, JsonSchema>;
}

export interface DescribedOperation {
	operation: Operation;
	summary: string;
	method: string;
	/** Below the version prefix, with `{workflow_id}` as the form of a parameter. */
	path: string;
	pathParameters: string[];
	query: Record<string, JsonSchema>;
	body?: { name: string; schema: JsonSchema; required: boolean };
	form?: UploadForm & { fileSchema: JsonSchema };
	answers: DescribedAnswer[];
}

/** What the service really does, before it is written in one of the forms of OpenAPI. */
export interface ApiDescription {
	title: string;
	origin: string;
	prefix: string;
	operations: DescribedOperation[];
	/** Named schemas; `{ $ref: name }` refers to one of them. */
	schemas: Record<string, JsonSchema>;
}
