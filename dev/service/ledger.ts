import type { Environment } from './model.ts';

export interface UploadRecord {
	documentId: string;
	workflowId: string;
	environment: Environment;
	method: 'direct' | 'signed';
	fileName: string;
	contentType: string;
	size: number;
	sha256: string;
	collectionId: string | null;
	collectionName: string | null;
	confirmed: boolean;
	at: string;
}

export interface UploadUrlRecord {
	documentId: string;
	workflowId: string;
	fileName: string;
	contentType: string;
	size: number | null;
	expiresAt: string;
	at: string;
}

export interface ConfirmationRecord {
	documentIds: string[];
	at: string;
}

export interface ExtractionRecord {
	kind: 'bulk' | 'single';
	workflowId: string;
	/** Those that really go into extraction, not those that were asked for. */
	documentIds: string[];
	requested: unknown;
	at: string;
}

export interface MergeRecord {
	collectionId: string;
	labelOrder: unknown;
	documentIds: string[];
	pages: number;
	/** Of the merged PDF. */
	size: number;
	sha256: string;
	at: string;
}

/** What the service really did, whatever its clients were told. */
export class Ledger {
	uploads: UploadRecord[] = [];
	uploadUrls: UploadUrlRecord[] = [];
	confirmations: ConfirmationRecord[] = [];
	extractions: ExtractionRecord[] = [];
	merges: MergeRecord[] = [];
}
