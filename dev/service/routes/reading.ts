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
export function readingRoutes(app: FastifyInstance, { profile, store, seeder }: Parts) {
	app.route<WorkflowParams>({
		...parseEndpoint(profile.apiDetails.workflowEndpoint),
		config: { operation: 'getWorkflow', scope: 'read' },
		handler: async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			return sendAnswer(reply, profile.workflow(workflow, isExtracting(workflow)));
		},
	});

	const { querySchema } = profile.listDocuments;
	app.get<WorkflowParams>(
		'/workflows/:workflow_id/documents',
		{
			config: { operation: 'getDocuments', scope: 'read' },
			...(querySchema && { schema: { querystring: querySchema } }),
		},
		async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			const documents = [...workflow.documents.values()];
			const answer = profile.listDocuments.answer(documents, request.query as never);
			return sendAnswer(reply, countedWrongly(request, answer));
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
				await seeder.seed(workflow, { documents: shift.insert, prefix: 'SHIFTED', first: true });
			}
			if (shift?.delete) workflow.rows.splice(0, shift.delete);

			const body = pageEnvelope(
				matchingRows(workflow, request.query),
				request.query,
				(row) => row.body,
			);
			return sendAnswer(reply, countedWrongly(request, { status: 200, body }));
		},
	);
}

/** A list that comes in pages, with a wrong number of them if the request is to suffer that. */
function countedWrongly(request: FastifyRequest, answer: Answer): Answer {
	const { body } = answer;
	const wrong = faultOf(request, 'wrongPages');
	if (!wrong || body === null || typeof body !== 'object' || !('pages' in body)) return answer;
	return { ...answer, body: { ...body, pages: wrong.pages } };
}

function matchingRows(workflow: Workflow, query: ResultsQuery): ResultRow[] {
	const { document_id: documentId, collection_id: collectionId } = query;
	if (!documentId && !collectionId) return workflow.rows;

	const candidates = documentId
		? [...(workflow.documents.get(documentId)?.rows.values() ?? [])]
		: workflow.rows;
	return collectionId
		? candidates.filter(({ document }) => document.collection?.id === collectionId)
		: candidates;
}
