import type { FastifyInstance } from 'fastify';
import { sendAnswer } from '../answers.ts';
import type { RouteParts, WorkflowParams } from './route.ts';

export function documentsRoutes(app: FastifyInstance, { profile, store }: RouteParts) {
	app.get<WorkflowParams>(
		'/workflows/:workflow_id/documents',
		{
			config: { operation: 'getDocuments', scope: 'read' },
			schema: { querystring: profile.listDocuments.querySchema },
		},
		async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			const documents = [...workflow.documents.values()];
			return sendAnswer(reply, profile.listDocuments.answer(documents, request.query as never));
		},
	);
}
