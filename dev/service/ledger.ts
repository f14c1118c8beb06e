import { createHash } from 'node:crypto';
import type { MergedDocument, StoredDocument } from './model.ts';

export const uploadOf = (document: StoredDocument, method: 'direct' | 'signed') => ({
	documentId: document.id,
	workflowId: document.workflow.id,
	environment: document.workflow.environment,
	method,
	fileName: document.fileName,
	contentType: document.contentType,
	size: document.file?.size ?? 0,
	sha256: document.file?.sha256 ?? '',
	collectionId: document.collection?.id ?? null,
	collectionName: document.collection?.name ?? null,
	confirmed: document.confirmed,
});

/** @param documents those that really go into extraction, not those that were asked for */
export const extractionOf = (
	kind: 'bulk' | 'single',
	documents: StoredDocument[],
	requested: unknown,
) => ({ kind, documentIds: idsOf(documents), requested, at: new Date().toISOString() });

export const mergeOf = (
	collectionId: string,
	documents: StoredDocument[],
	{ bytes }: MergedDocument,
	pages: number,
) => ({
	collectionId,
	documentIds: idsOf(documents),
	pages,
	size: bytes.length,
	sha256: createHash('sha256').update(bytes).digest('hex'),
});

const idsOf = (documents: StoredDocument[]) => documents.map(({ id }) => id);

/** What the service really did, whatever its clients were told. */
export class Ledger {
	uploads: Array<ReturnType<typeof uploadOf>> = [];
	uploadUrls: Array<{ documentId: string; fileName: string }> = [];
	confirmations: Array<{ documentIds: string[] }> = [];
	extractions: Array<ReturnType<typeof extractionOf>> = [];
	merges: Array<ReturnType<typeof mergeOf>> = [];
}
