import type { StoredDocument } from '../model.ts';
import { tokenBucket } from '../rateLimit.ts';
import { shareOf, type Profile } from './profile.ts';
import { called, text, uuid, uuidText } from './schemas.ts';

const statuses = { waiting: 0, running: 1, finished: 2, failed: 9 };

const describeDocument = (document: StoredDocument) => ({
	payload: {
		file: { id: document.id, name: document.fileName, type: document.contentType },
		collection: document.collection ?? null,
		stage: document.stage,
		extraction_status: statuses[document.state],
	},
});

const PUT_HEADERS = { 'x-ms-blob-type': 'BlockBlob' };

/** Answers wrapped in `payload`, IDs that need encoding in a path, numbers as statuses, a storage as Azure's. */
export const cobalt: Profile = {
	name: 'cobalt',
	summary: 'answers in an envelope, awkward document IDs, numbers as statuses',
	// Ends in "live" on purpose: only `_live_` and `_test_` tell the kind of a key.
	keyPrefix: 'olive',
	scopes: { read: 'workflows:read', upload: 'files.put', extract: 'jobs.start' },
	apiDetails: {
		workflowEndpoint: 'POST /describe/workflow/{workflow_id}',
		uploadFileField: 'payload[file]',
		uploadUrlEndpoint: 'POST /sign',
		uploadUrlBody: JSON.stringify({
			workflow: '{workflow_id}',
			object: { title: '{file_name}', type: '{content_type}', bytes: '{file_size}' },
		}),
		uploadUrlField: 'payload.target',
		uploadHeadersField: 'payload.put_headers',
		confirmMethod: 'PATCH',
		confirmBody: JSON.stringify({ files: [{ id: '{document_id}', state: 'complete' }] }),
		documentIdField: 'payload.file.id',
		finishedStatuses: '2, 9',
		rows: 'payload.cells: caption = content',
		fileUrlField: 'payload.file.url',
	},
	ids: {
		workflow: (digits) => String(parseInt(digits.slice(0, 10), 16)),
		column: (_digits, position) => 101 + position,
		collection: uuid,
		document: (digits) => `inbox/${digits.slice(0, 10)}:${digits.slice(10, 12)}`,
	},
	idSchemas: {
		document: text,
		collection: uuidText,
		column: { type: ['integer', 'string'], pattern: '^\\d+$' },
	},
	rate: { createLimiter: tokenBucket, windowMs: 60_000, retryAfter: 'none' },
	denied: (reason, scope) => ({
		status: 401,
		body: {
			message: reason === 'missingScope' ? `Required: ${scope}` : 'Unauthorized',
		},
	}),
	rateLimited: () => ({ status: 429, contentType: 'text/plain', body: 'Too Many Requests' }),
	invalid: (entries) => entries,
	workflow: (workflow, isExtracting) => ({
		status: 200,
		body: {
			payload: {
				id: workflow.id,
				caption: workflow.name,
				is_extracting: isExtracting,
				extraction_status: isExtracting ? 1 : 0,
				schema: { columns: called('column_id', 'caption', workflow.columns) },
				collections: called('collection_id', 'caption', workflow.collections),
				stages: workflow.stages.map(({ name }) => name),
			},
		},
	}),
	uploaded: (document) => ({ status: 202, body: describeDocument(document) }),
	uploadUrl: {
		headers: PUT_HEADERS,
		answer: ({ document, url, expiresAt }) => ({
			status: 200,
			body: {
				payload: {
					file: { id: document.id },
					target: url,
					put_headers: PUT_HEADERS,
					seconds: Math.round((expiresAt.getTime() - Date.now()) / 1000),
				},
			},
		}),
	},
	confirmed: (documents) => ({
		status: 202,
		body: { payload: { accepted: documents.length, rejected: 0 } },
	}),
	bulkExtract: { status: 202 },
	confidencePath: 'certainty',
	singleExtract: {
		force: 'again',
		answer: () => ({ status: 204 }),
	},
	listDocuments: (documents) => ({
		inbox: { count: documents.length, entries: documents.map(describeDocument) },
	}),
	results: (document, fileUrl) => [
		{
			body: {
				payload: {
					file: { id: document.id, name: document.fileName, url: fileUrl },
					cells: document.workflow.columns
						.filter(({ id }) => document.values.has(id))
						.map(({ id, name }, position) => ({
							column_id: id,
							caption: name,
							content: document.values.get(id),
							certainty: shareOf(position),
						})),
				},
			},
		},
	],
	merge: {
		labelOrderSchema: { type: ['object', 'null'], additionalProperties: { type: 'integer' } },
		labels: (labelOrder: Record<string, number>) =>
			Object.entries(labelOrder)
				.sort(([, first], [, second]) => first - second)
				.map(([label]) => label),
		labelOf: (document) => document.id,
		answer: ({ apiUrl, fileName }) => ({
			status: 200,
			body: { payload: { download: { url: apiUrl, name: fileName } } },
		}),
	},
	reference: {
		path: '/reference/openapi.json',
		dialect: {
			version: '3.0.3',
			server: () => '/api/v1',
			style: 'composed',
			file: { type: 'string', format: 'binary' },
		},
	},
};
