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
export function readingRoutes(app: FastifyInstance, parts: Parts) {
	const { profile, store, storage } = parts;

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
			await shiftRows(request, workflow, parts);
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
			await shiftRows(request, workflow, parts);
			const { query } = request;
			const list = pageEnvelope(matchingRows(workflow, query), query, ({ body, document }) =>
				storage.signedAnew(body, document),
			);
			return sendAnswer(reply, countedWrongly(request, list));
		},
	);
}

/** Rows come, go or move before this page of them is sent. */
async function shiftRows(request: FastifyRequest, workflow: Workflow, { seed }: Parts) {
	const { insert = 0, delete: removed = 0, move = 0 } = faultOf(request, 'shiftRows') ?? {};
	const { rows, documents } = workflow;
	if (insert > 0) await seed(workflow, { documents: insert, prefix: 'SHIFTED', first: true });
	if (removed > 0) rows.splice(0, removed);
	if (move === 0) return;
	rows.unshift(...rows.splice(-move));
	for (const [id, document] of [...documents].slice(0, -move)) {
		documents.delete(id);
		documents.set(id, document);
	}
}

/** A list that comes in pages, with a wrong number of them if the request is to suffer that. */
function countedWrongly(request: FastifyRequest, list: unknown): Answer {
	const { pages, isTotalOfPage } = faultOf(request, 'wrongPages') ?? {};
	const { items } = list as { items?: unknown[] };
	if (pages === undefined || !items) return { status: 200, body: list };
	const total = isTotalOfPage && { total: items.length };
	return { status: 200, body: { ...(list as object), ...total, pages } };
}

function matchingRows(
	{ rows, documents }: Workflow,
	{ document_id: documentId, collection_id: collectionId }: ResultsQuery,
): ResultRow[] {
	const ofDocument = documentId ? [...(documents.get(documentId)?.rows.values() ?? [])] : rows;
	if (!collectionId) return ofDocument;
	return ofDocument.filter(({ document }) => document.collection?.id === collectionId);
}
