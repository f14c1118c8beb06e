import type { Column, JsonSchema, StoredDocument, Workflow } from '../model.ts';
import type { Scope } from '../operations.ts';
import type { PageQuery } from '../pages.ts';
import type { CreateRateLimiter } from '../rateLimit.ts';
import type { RetryAfter } from '../settings.ts';

export type DenialReason = 'missingKey' | 'unknownKey' | 'revokedKey' | 'missingScope';

/** An answer without `body` is empty; `null` is the JSON text `null`. */
export interface Answer {
	status: number;
	body?: unknown;
	/** Absent: JSON. */
	contentType?: string;
	/** Of a file that is the body. */
	fileName?: string;
}

export interface ValidationEntry {
	type: string;
	loc: Array<string | number>;
	msg: string;
	input?: unknown;
}

/**
 * What a user of this profile copies from its API reference, by the names that the node's code has for it;
 * what an account has nothing for is empty or left out.
 */
export type ApiDetails = Record<string, string>;

/** What a user enters in 'API Details': a line for each, which begins with its label. */
export function linesOf(details: ApiDetails): string {
	return Object.entries(details)
		.filter(([, value]) => value.trim() !== '')
		.map(([name, value]) => `${labelOf(name)}: ${value}`)
		.join('\n');
}

/** `uploadUrlField` → `Upload URL Field`. */
function labelOf(name: string): string {
	const words = name
		.replace(/[A-Z]/g, ' $&')
		.replace(/\b(?:Url|Id)\b/g, (word) => word.toUpperCase());
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** How an author writes OpenAPI. */
export interface Dialect {
	version: '3.0.3' | '3.1.0';
	/** Where paths begin: whole, or below the address of a server. */
	server?: (url: string) => string;
	/** Schemas of responses in place, by name, or put together of others. */
	style: 'inline' | 'named' | 'composed';
	/** What describes the file in the form of an upload. */
	file: JsonSchema;
}

/**
 * Everything that the interface leaves open. Routes know no profile by its name: what
 * differs from one service to the next stands here, and nowhere else.
 */
export interface Profile {
	name: string;
	summary: string;
	keyPrefix: string;
	scopes: Record<Scope, string>;
	apiDetails: ApiDetails;
	/** Each makes an ID in the profile's form out of hexadecimal digits. */
	ids: {
		workflow(digits: string): string;
		column(digits: string, position: number): Column['id'];
		collection(digits: string): string;
		document(digits: string): string;
	};
	/** What the query, the form and the bulk body accept as an ID. */
	idSchemas: { document: JsonSchema; collection: JsonSchema; column: JsonSchema };
	rate: { createLimiter: CreateRateLimiter; windowMs: number; retryAfter: RetryAfter };
	denied(reason: DenialReason, scope: string): Answer;
	rateLimited(): Answer;
	/** The body around the entries of an answer with status 422. */
	invalid(entries: ValidationEntry[]): unknown;
	workflow(workflow: Workflow, isExtracting: boolean): Answer;
	uploaded(document: StoredDocument): Answer;
	uploadUrl: {
		/** Headers that the storage asks for in a PUT, as Azure's does; not signed. */
		headers: Record<string, string>;
		answer(granted: { document: StoredDocument; url: string; expiresAt: Date }): Answer;
	};
	confirmed(documents: StoredDocument[]): Answer;
	bulkExtract: Answer;
	singleExtract: {
		/** What these are called in its body; where there is no name, all columns are extracted. */
		force: string;
		columns?: string;
		answer(document: StoredDocument): Answer;
	};
	/** @returns the body of the answer */
	listDocuments(documents: StoredDocument[], query: PageQuery): unknown;
	/** @returns `column`: the ID of the only column that a result is about, where it is */
	results(
		document: StoredDocument,
		fileUrl: string,
	): Array<{ body: unknown; column?: Column['id'] }>;
	/** Where it says beside a value how sure it is of it: see `shareOf`. */
	confidencePath?: string;
	/** Whether a repeated extraction adds results instead of changing those that are there. */
	keepsHistory?: boolean;
	/** What the columns of each workflow are called, the first ones; there are no others. */
	columnNames?: string[];
	merge: {
		labelOrderSchema: JsonSchema;
		/** The labels in the order that the client asks for. */
		labels(labelOrder: never): string[];
		labelOf(document: StoredDocument): string;
		/** What users enter in 'Download URL Field'. */
		urlField: string;
		/** The PDF itself, or a JSON answer with one of its two addresses. */
		answer(merged: {
			pdf: Answer;
			storageUrl: string;
			apiUrl: string;
			fileName: string;
			pages: number;
		}): Answer;
	};
	/** The OpenAPI document. */
	reference: {
		/** Where on the service's origin it can be read. */
		path: string;
		/** How its author writes it. */
		dialect: Dialect;
	};
}

/** How sure the account is of the values of a column, from 0 to 1: less with each that follows. */
export const shareOf = (position: number) => Number((0.97 - position / 20).toFixed(2));
