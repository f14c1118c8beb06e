import type { FastifyInstance } from 'fastify';
import { DetailError, sendAnswer } from '../answers.ts';
import { sendMerged } from '../mergedDocument.ts';
import { arrange, mergePdfs, onlyPdfs } from '../merge.ts';
import type { RouteParts } from './route.ts';

export function mergeRoutes(app: FastifyInstance, parts: RouteParts) {
	const { profile, store, storage, origin, pdfs: tools } = parts;

	app.post<{
		Params: { workflow_id: string; collection_id: string };
		Body: { label_order?: unknown } | null;
	}>(
		'/workflows/:workflow_id/collections/:collection_id/merged-document',
		{
			config: { operation: 'merge', scope: 'read' },
			schema: {
				body: {
					type: ['object', 'null'],
					properties: { label_order: profile.merge.labelOrderSchema },
				},
			},
		},
		async (request, reply) => {
			const { workflow_id, collection_id } = request.params;
			const workflow = store.workflow(workflow_id, request.apiKey.environment);
			const collection = store.collection(workflow, { id: collection_id });
			const labelOrder = request.body?.label_order ?? null;

			const documents = [...workflow.documents.values()].filter(
				(document) => document.confirmed && document.collection === collection,
			);
			const pdfs = arrange(await onlyPdfs(documents), labelOrder, profile);
			if (pdfs.length === 0) throw new DetailError(400, 'The collection has no PDF');

			const { pages, bytes } = await mergePdfs(pdfs, tools);
			const merged = store.keepMerged({ fileName: `${collection?.name}.pdf`, bytes });
			store.recordMerge(collection_id, labelOrder, pdfs, merged, pages);

			if (profile.merge.delivery === 'body') return sendMerged(reply, merged);
			const url =
				profile.merge.delivery === 'storage'
					? storage.merged(merged.key)
					: `${origin()}/api/v1/merged-documents/${merged.key}`;
			const { fileName } = merged;
			return sendAnswer(reply, profile.merge.answer({ url, fileName, pages }));
		},
	);

	if (profile.merge.delivery !== 'api') return;
	app.get<{ Params: { key: string } }>(
		'/merged-documents/:key',
		{ config: { operation: 'downloadMerged', scope: 'read' } },
		async (request, reply) => {
			const merged = store.merged.get(request.params.key);
			if (!merged) throw new DetailError(404, 'Merged document not found');
			return sendMerged(reply, merged);
		},
	);
}
