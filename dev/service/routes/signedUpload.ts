import type { FastifyInstance, HTTPMethods } from 'fastify';
import { DetailError, sendAnswer } from '../answers.ts';
import { schemaOfBody, valuesOfBody } from '../bodyTemplate.ts';
import { faultOf } from '../frontDoor.ts';
import type { Parts } from '../parts.ts';
import { parseEndpoint, type WorkflowParams } from './route.ts';

export function signedUploadRoutes(app: FastifyInstance, parts: Parts) {
	const { profile, store, storage, settings } = parts;
	const { uploadUrlEndpoint, uploadUrlBody, confirmMethod, confirmBody } = profile.apiDetails;

	app.route<WorkflowParams>({
		...parseEndpoint(uploadUrlEndpoint),
		config: { operation: 'createUploadUrl', scope: 'upload' },
		schema: { body: schemaOfBody(profile, uploadUrlBody) },
		handler: async (request, reply) => {
			const wanted = valuesOfBody(uploadUrlBody, request.body);
			const textOf = (name: string) => wanted[name]?.[0] as string | undefined;
			const size = wanted.file_size?.[0] as number | undefined;
			const workflowId = textOf('workflow_id') ?? request.params.workflow_id;
			const workflow = store.workflow(workflowId, request.apiKey.environment);
			const document = store.addDocument(workflow, {
				fileName: String(textOf('file_name')),
				contentType: String(textOf('content_type')),
				collection: store.collection(workflow, {
					id: textOf('collection_id'),
					name: textOf('collection_name'),
				}),
				confirmed: false,
			});
			const lifetimeMs = faultOf(request, 'expireUploadUrls') ? -1 : settings().uploadUrlLifetimeMs;
			const expiresAt = new Date(Date.now() + lifetimeMs);
			store.ledger.uploadUrls.push({ documentId: document.id, fileName: document.fileName });
			const url = storage.upload(document, size, expiresAt);
			return sendAnswer(reply, profile.uploadUrl.answer({ document, url, expiresAt }));
		},
	});

	app.route<WorkflowParams>({
		method: confirmMethod as HTTPMethods,
		url: '/workflows/:workflow_id/documents/confirm',
		config: { operation: 'confirm', scope: 'upload' },
		schema: { body: schemaOfBody(profile, confirmBody) },
		handler: async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			const { document_id: ids } = valuesOfBody(confirmBody, request.body);
			const documents = ids.map((id) => store.document(workflow, String(id)));
			const missing = documents.find(({ file }) => !file);
			if (missing) {
				throw new DetailError(400, `The file of document ${missing.id} has not been uploaded`);
			}

			store.confirm(documents);
			return sendAnswer(reply, profile.confirmed(documents));
		},
	});
}
