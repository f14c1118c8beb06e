import type { StoredDocument } from '../model.ts';
import { slidingWindow } from '../rateLimit.ts';
import type { Profile } from './profile.ts';
import { called, text, uuid, uuidText } from './schemas.ts';

const statuses = { waiting: 'NEW', running: 'IN_WORK', finished: 'DONE', failed: 'ERROR' };

const describeDocument = (document: StoredDocument) => ({
	doc_ref: document.id,
	attributes: {
		title: document.fileName,
		mime: document.contentType,
		folder: document.collection?.name ?? null,
		stage: document.stage.id,
		extraction_status: statuses[document.state],
	},
});

/** Nested answers with `doc_ref` in them, collections by name, one result per value. */
export const borealis: Profile = {
	name: 'borealis',
	summary: 'nested answers, lists as bare arrays, one result per value',
	keyPrefix: 'brl_eu',
	scopes: { read: 'workflows:read', upload: 'uploads:create', extract: 'workflows:execute' },
	apiDetails: {
		workflowEndpoint: 'GET /workflows/{workflow_id}/metadata',
		uploadFileField: 'documents',
		uploadUrlEndpoint: 'PUT /upload-slots/{workflow_id}',
		uploadUrlBody: JSON.stringify({
			slot: { filename: '{file_name}', mime: '{content_type}', folder: '{collection_name}' },
		}),
		uploadUrlField: 'result.slots[0].put.href',
		uploadHeadersField: '',
		confirmMethod: 'PUT',
		confirmBody: JSON.stringify({ doc_ref: '{document_id}' }),
		documentIdField: 'doc_ref',
		finishedStatuses: 'DONE,ERROR',
		rows: '.: column.heading = value',
		fileUrlField: 'source.href',
	},
	ids: {
		workflow: (digits) => `wf-${digits.slice(0, 12)}`,
		column: (digits) => `col_${digits.slice(0, 8)}`,
		collection: (digits) => `deal ${digits.slice(0, 6)}`,
		document: uuid,
	},
	idSchemas: { document: uuidText, collection: text, column: text },
	rate: { createLimiter: slidingWindow, windowMs: 5_000, retryAfter: 'date' },
	denied: (reason, scope) => {
		const error =
			reason === 'missingScope'
				? { code: 'insufficient_scope', message: `This key was not granted ${scope}` }
				: { code: 'invalid_key', message: 'This key cannot be used here' };
		return { status: reason === 'unknownKey' ? 401 : 403, body: { error } };
	},
	rateLimited: () => ({
		status: 429,
		body: { error: { code: 'too_many_requests', message: 'Slow down, please' } },
	}),
	invalid: (entries) => ({ message: 'Invalid request', errors: entries }),
	workflow: (workflow, isExtracting) => ({
		status: 200,
		body: {
			result: {
				workflow: {
					ref: workflow.id,
					title: workflow.name,
					activity: {
						is_extracting: isExtracting,
						extraction_status: isExtracting ? 'IN_WORK' : 'IDLE',
					},
					structure: {
						columns: workflow.columns.map(({ id, name, prompt, type }) => ({
							column_id: id,
							heading: name,
							prompt,
							type: type.toUpperCase(),
						})),
						collections: called('collection_id', 'collection_name', workflow.collections),
						stages: called('ref', 'title', workflow.stages),
					},
				},
			},
		},
	}),
	uploaded: (document) => ({
		status: 200,
		body: { result: { documents: [describeDocument(document)] } },
	}),
	uploadUrl: {
		headers: {},
		answer: ({ document, url }) => ({
			status: 201,
			body: { result: { slots: [{ doc_ref: document.id, put: { href: url } }] } },
		}),
	},
	confirmed: () => ({ status: 204 }),
	bulkExtract: { status: 200, body: null },
	singleExtract: {
		force: 'overwrite',
		columns: 'columns',
		answer: (document) => ({
			status: 202,
			body: {
				result: { job: { doc_ref: document.id, extraction_status: statuses[document.state] } },
			},
		}),
	},
	listDocuments: (documents) => documents.map(describeDocument),
	results: (document, fileUrl) =>
		document.workflow.columns
			.filter(({ id }) => document.values.has(id))
			.map(({ id, name, type }) => ({
				column: id,
				body: {
					doc_ref: document.id,
					column: { column_id: id, heading: name, type: type.toUpperCase() },
					value: document.values.get(id),
					source: { title: document.fileName, href: fileUrl },
				},
			})),
	merge: {
		labelOrderSchema: { type: ['array', 'null'], items: text },
		labels: (labelOrder: string[]) => labelOrder,
		labelOf: (document) => document.fileName,
		urlField: 'result.merged.href',
		answer: ({ storageUrl, pages }) => ({
			status: 201,
			body: { result: { merged: { href: storageUrl, pages } } },
		}),
	},
	reference: {
		path: '/docs/api.json',
		dialect: {
			version: '3.0.3',
			server: (url) => `${url}/api/v1`,
			style: 'named',
			file: { type: 'array', items: { type: 'string', format: 'binary' } },
		},
	},
};
