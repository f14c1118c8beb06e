import type { StoredDocument } from '../model.ts';
import { pageEnvelope } from '../pages.ts';
import { fixedWindow } from '../rateLimit.ts';
import type { Profile } from './profile.ts';
import { called, text, uuid, uuidText } from './schemas.ts';

const statuses = {
	waiting: 'pending',
	running: 'processing',
	finished: 'completed',
	failed: 'failed',
};

const describeDocument = (document: StoredDocument) => ({
	document_id: document.id,
	file_name: document.fileName,
	content_type: document.contentType,
	collection_id: document.collection?.id ?? null,
	stage: document.stage.name,
	uploaded: document.confirmed,
	extraction_status: statuses[document.state],
	created_at: document.createdAt.toISOString(),
});

/** Flat answers, UUIDs, `document_id` everywhere. */
export const atlas: Profile = {
	name: 'atlas',
	summary: 'flat answers, page envelopes, merged documents as PDF',
	keyPrefix: 'atl',
	scopes: { read: 'workflows:read', upload: 'documents:write', extract: 'extractions:run' },
	apiDetails: {
		workflowEndpoint: 'GET /workflows/{workflow_id}',
		uploadFileField: 'file',
		uploadUrlEndpoint: 'POST /workflows/{workflow_id}/documents/upload-urls',
		uploadUrlBody: JSON.stringify({
			file_name: '{file_name}',
			content_type: '{content_type}',
			file_size: '{file_size}',
			collection_id: '{collection_id}',
		}),
		uploadUrlField: 'upload_url',
		uploadHeadersField: '',
		confirmMethod: 'POST',
		confirmBody: JSON.stringify({ document_ids: ['{document_id}'] }),
		documentIdField: 'document_id',
		finishedStatuses: 'completed, failed',
		rows: 'values',
		fileUrlField: 'file_url',
	},
	ids: { workflow: uuid, column: uuid, collection: uuid, document: (digits) => `doc_${digits}` },
	idSchemas: { document: text, collection: uuidText, column: uuidText },
	rate: { createLimiter: fixedWindow, windowMs: 10_000, retryAfter: 'seconds' },
	denied: (reason, scope) =>
		reason === 'missingScope'
			? { status: 403, body: { detail: `The API key lacks the scope ${scope}` } }
			: { status: 401, body: { detail: 'Could not validate credentials' } },
	rateLimited: () => ({ status: 429, body: { detail: 'Rate limit exceeded' } }),
	invalid: (entries) => ({ detail: entries }),
	workflow: (workflow, isExtracting) => ({
		status: 200,
		body: {
			workflow_id: workflow.id,
			name: workflow.name,
			is_extracting: isExtracting,
			extraction_status: isExtracting
				? 'processing'
				: workflow.rows.length
					? 'completed'
					: 'pending',
			columns: called('column_id', 'name', workflow.columns),
			collections: called('collection_id', 'name', workflow.collections),
			stages: called('stage_id', 'name', workflow.stages),
		},
	}),
	uploaded: (document) => ({ status: 201, body: describeDocument(document) }),
	uploadUrl: {
		headers: {},
		answer: ({ document, url, expiresAt }) => ({
			status: 200,
			body: { document_id: document.id, upload_url: url, expires_at: expiresAt.toISOString() },
		}),
	},
	confirmed: (documents) => ({ status: 200, body: { confirmed: documents.length } }),
	bulkExtract: { status: 204 },
	singleExtract: {
		force: 'force',
		answer: (document) => ({
			status: 200,
			body: { document_id: document.id, extraction_status: statuses[document.state] },
		}),
	},
	listDocuments: (documents, query) => pageEnvelope(documents, query, describeDocument),
	results: (document, fileUrl) => [
		{
			body: {
				document_id: document.id,
				file_name: document.fileName,
				file_url: fileUrl,
				collection_id: document.collection?.id ?? null,
				extraction_status: statuses[document.state],
				values: Object.fromEntries(
					document.workflow.columns
						.filter(({ id }) => document.values.has(id))
						.map(({ id, name }) => [name, document.values.get(id)]),
				),
			},
		},
	],
	merge: {
		labelOrderSchema: { type: ['array', 'null'], items: text },
		labels: (labelOrder: string[]) => labelOrder,
		labelOf: (document) => document.id,
		urlField: '',
		answer: ({ pdf }) => pdf,
	},
	reference: {
		path: '/openapi.json',
		dialect: {
			version: '3.1.0',
			style: 'inline',
			file: { type: 'string', contentMediaType: 'application/octet-stream' },
		},
	},
};
