import type { FastifyInstance } from 'fastify';
import { DetailError, sendAnswer } from '../answers.ts';
import { extractionOf } from '../ledger.ts';
import type { StoredDocument, Workflow } from '../model.ts';
import type { Parts } from '../parts.ts';
import { invalidValue } from '../validation.ts';
import type { WorkflowParams } from './route.ts';

interface BulkBody {
	document_ids?: string[] | null;
	collection_id?: string | null;
	column_ids?: string[] | null;
	force?: boolean;
}

export function extractionRoutes(app: FastifyInstance, { profile, store, extractor }: Parts) {
	app.post<WorkflowParams & { Body: BulkBody | null }>(
		'/workflows/:workflow_id/extract',
		{
			config: { operation: 'extractBulk', scope: 'extract' },
			schema: {
				body: {
					type: ['object', 'null'],
					properties: {
						document_ids: { type: ['array', 'null'], items: profile.idSchemas.document },
						collection_id: { ...profile.idSchemas.collection, type: ['string', 'null'] },
						column_ids: { type: ['array', 'null'], items: profile.idSchemas.column },
						force: { type: 'boolean' },
					},
				},
			},
		},
		async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			const { document_ids, collection_id, column_ids, force = false } = request.body ?? {};
			const collection = store.collection(workflow, { id: collection_id });
			const columnIds = column_ids ?? undefined;
			requireColumns(workflow, columnIds);

			const named = document_ids?.map((id) => confirmedDocument(workflow, id));
			const documents = (named ?? [...workflow.documents.values()]).filter(
				(document) => document.confirmed && (!collection || document.collection === collection),
			);
			const extracted = extractor.trigger(workflow, [...new Set(documents)], { columnIds, force });
			store.ledger.extractions.push(extractionOf('bulk', extracted, request.body));
			return sendAnswer(reply, profile.bulkExtract);
		},
	);

	const { force: forceField, columns: columnsField = '', answer } = profile.singleExtract;
	app.post<{
		Params: { workflow_id: string; document_id: string };
		Body: Record<string, unknown> | null;
	}>(
		'/workflows/:workflow_id/documents/:document_id/extract',
		{
			config: { operation: 'extractOne', scope: 'extract' },
			schema: {
				body: {
					type: ['object', 'null'],
					properties: {
						[forceField]: { type: 'boolean' },
						[columnsField]: { type: 'array', items: profile.idSchemas.column },
					},
				},
			},
		},
		async (request, reply) => {
			const { workflow_id, document_id } = request.params;
			const workflow = store.workflow(workflow_id, request.apiKey.environment);
			const document = confirmedDocument(workflow, document_id);
			const columnIds = request.body?.[columnsField] as string[] | undefined;
			requireColumns(workflow, columnIds);

			const force = request.body?.[forceField] === true;
			const extracted = extractor.trigger(workflow, [document], { columnIds, force });
			store.ledger.extractions.push(extractionOf('single', extracted, request.body));
			return sendAnswer(reply, answer(document));
		},
	);

	function confirmedDocument(workflow: Workflow, id: string): StoredDocument {
		const document = store.document(workflow, id);
		if (document.confirmed) return document;
		throw new DetailError(400, `The upload of document ${id} has not been confirmed`);
	}
}

function requireColumns({ columns }: Workflow, columnIds: Array<string | number> = []) {
	const known = columns.map(({ id }) => String(id));
	for (const [index, id] of columnIds.entries()) {
		if (known.includes(String(id))) continue;
		throw invalidValue(['column_ids', index], 'the workflow has no such column', id);
	}
}
