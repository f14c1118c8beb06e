import type { FastifyInstance } from 'fastify';
import { sendAnswer } from '../answers.ts';
import { isExtracting } from '../store.ts';
import { parseEndpoint, type RouteParts, type WorkflowParams } from './route.ts';

export function workflowRoutes(app: FastifyInstance, { profile, store }: RouteParts) {
	app.route<WorkflowParams>({
		...parseEndpoint(profile.apiDetails.workflowEndpoint),
		config: { operation: 'getWorkflow', scope: 'read' },
		handler: async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			return sendAnswer(reply, profile.workflow(workflow, isExtracting(workflow)));
		},
	});
}
