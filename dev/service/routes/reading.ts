import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendAnswer } from '../answers.ts';
import { faultOf } from '../frontDoor.ts';
import type { ResultRow, Workflow } from '../model.ts';
import { pageEnvelope, pageQuery, type PageQuery } from '../pages.ts';
import type { Parts } from '../parts.ts';
import type { Answer } from '../profiles/profile.ts';
import { isExtracting } from '../store.ts';
import { parseEndpoint, type WorkflowParams } from './route.ts';

type ResultsQuery = PageQuery & { document_id?: string; collection_id?: string };

/** What changes nothing: the workflow and its two lists. */
export function readingRoutes(app: FastifyInstance, { profile, store, seed }: Parts) {
	app.route<WorkflowParams>({
		...parseEndpoint(profile.apiDetails.workflowEndpoint),
		config: { operation: 'getWorkflow', scope: 'read' },
		handler: async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			return sendAnswer(reply, profile.workflow(workflow, isExtracting(workflow)));
		},
	});

	app.get<WorkflowParams & { Querystring: PageQuery }>(
		'/workflows/:workflow_id/documents',
		{
			config: { operation: 'getDocuments', scope: 'read' },
			schema: { querystring: { type: 'object', properties: pageQuery } },
		},
		async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			const list = profile.listDocuments([...workflow.documents.values()], request.query);
			return sendAnswer(reply, countedWrongly(request, list));
		},
	);

	app.get<WorkflowParams & { Querystring: ResultsQuery }>(
		'/workflows/:workflow_id/extractions',
		{
			config: { operation: 'getExtractions', scope: 'read' },
			schema: {
				querystring: {
					type: 'object',
					properties: {
						...pageQuery,
						document_id: profile.idSchemas.document,
						collection_id: profile.idSchemas.collection,
					},
				},
			},
		},
		async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);

			const shift = faultOf(request, 'shiftRows');
			if (shift?.insert) {
				await seed(workflow, { documents: shift.insert, prefix: 'SHIFTED', first: true });
			}
			if (shift?.delete) workflow.rows.splice(0, shift.delete);

			const { query } = request;
			const list = pageEnvelope(matchingRows(workflow, query), query, (row) => row.body);
			return sendAnswer(reply, countedWrongly(request, list));
		},
	);
}

/** A list that comes in pages, with a wrong number of them if the request is to suffer that. */
function countedWrongly(request: FastifyRequest, list: unknown): Answer {
	const { pages } = faultOf(request, 'wrongPages') ?? {};
	const isPage = typeof list === 'object' && list !== null && 'pages' in list;
	return { status: 200, body: isPage && pages !== undefined ? { ...list, pages } : list };
}

function matchingRows(
	{ rows, documents }: Workflow,
	{ document_id: documentId, collection_id: collectionId }: ResultsQuery,
): ResultRow[] {
	const ofDocument = documentId ? [...(documents.get(documentId)?.rows.values() ?? [])] : rows;
	if (!collectionId) return ofDocument;
	return ofDocument.filter(({ document }) => document.collection?.id === collectionId);
}
