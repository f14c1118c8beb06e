import type { FastifyInstance, HTTPMethods } from 'fastify';
import { DetailError, sendAnswer } from '../answers.ts';
import { faultOf } from '../frontDoor.ts';
import { checkField } from '../validation.ts';
import { parseEndpoint, type RouteParts, type WorkflowParams } from './route.ts';

export function signedUploadRoutes(app: FastifyInstance, parts: RouteParts) {
	const { profile, store, storage, settings } = parts;

	app.route<WorkflowParams>({
		...parseEndpoint(profile.apiDetails.uploadUrlEndpoint),
		config: { operation: 'createUploadUrl', scope: 'upload' },
		schema: { body: profile.uploadUrl.schema },
		handler: async (request, reply) => {
			const wanted = profile.uploadUrl.read(request.body as never);
			const workflow = store.workflow(
				wanted.workflowId ?? request.params.workflow_id,
				request.apiKey.environment,
			);
			if (wanted.collectionId) {
				checkField(profile.idSchemas.collection, wanted.collectionId, 'collection_id');
			}

			const document = store.addDocument(workflow, {
				fileName: wanted.fileName,
				contentType: wanted.contentType,
				collection: store.collection(workflow, {
					id: wanted.collectionId,
					name: wanted.collectionName,
				}),
				confirmed: false,
			});
			const lifetimeMs = faultOf(request, 'expireUploadUrls') ? -1 : settings().uploadUrlLifetimeMs;
			const expiresAt = new Date(Date.now() + lifetimeMs);
			store.recordUploadUrl(document, wanted.size, expiresAt);
			const url = storage.upload(document, wanted.size, expiresAt);
			return sendAnswer(
				reply,
				profile.uploadUrl.answer({ document, url, headers: profile.uploadUrl.headers, expiresAt }),
			);
		},
	});

	app.route<WorkflowParams>({
		method: profile.apiDetails.confirmMethod as HTTPMethods,
		url: '/workflows/:workflow_id/documents/confirm',
		config: { operation: 'confirm', scope: 'upload' },
		schema: { body: profile.confirm.schema },
		handler: async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			const documents = profile.confirm
				.documentIds(request.body as never)
				.map((id) => store.document(workflow, id));
			const missing = documents.find(({ file }) => !file);
			if (missing) {
				throw new DetailError(400, `The file of document ${missing.id} has not been uploaded`);
			}

			store.confirm(documents);
			return sendAnswer(reply, profile.confirm.answer(documents));
		},
	});
}
