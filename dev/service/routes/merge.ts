import type { FastifyInstance } from 'fastify';
import { DetailError, sendAnswer, sendMerged } from '../answers.ts';
import { contentOf, isPdf } from '../documentText.ts';
import { mergeOf } from '../ledger.ts';
import type { StoredDocument } from '../model.ts';
import type { Parts } from '../parts.ts';
import type { Profile } from '../profiles/profile.ts';

export function mergeRoutes(app: FastifyInstance, parts: Parts) {
	const { profile, store, storage, pdfs: tools } = parts;

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

			// Anything else cannot be merged.
			const documents: StoredDocument[] = [];
			for (const document of workflow.documents.values()) {
				const { file, confirmed } = document;
				const isOfCollection = confirmed && document.collection === collection;
				if (isOfCollection && file && (await isPdf(file))) documents.push(document);
			}
			const pdfs = arrange(documents, request.body?.label_order, profile);
			if (pdfs.length === 0) throw new DetailError(400, 'The collection has no PDF');

			const files: Array<{ fileName: string; bytes: Buffer }> = [];
			for (const { file, fileName } of pdfs) {
				const bytes = file && (await contentOf(file));
				if (bytes) files.push({ fileName, bytes });
			}
			const { pages, bytes } = await tools.merge(files);
			const merged = store.keepMerged({ fileName: `${collection?.name}.pdf`, bytes });
			store.ledger.merges.push(mergeOf(collection_id, pdfs, merged, pages));

			if (profile.merge.delivery === 'body') return sendMerged(reply, merged);
			const url =
				profile.merge.delivery === 'storage'
					? storage.merged(merged.key)
					: `${parts.url}/api/v1/merged-documents/${merged.key}`;
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

/** Labelled documents first, in the order of the labels; the others stay behind them. */
function arrange(documents: StoredDocument[], labelOrder: unknown, { merge }: Profile) {
	if (labelOrder === null || labelOrder === undefined) return documents;

	const labels = merge.labels(labelOrder as never);
	const rank = (document: StoredDocument) => {
		const position = labels.indexOf(merge.labelOf(document));
		return position === -1 ? labels.length : position;
	};
	return [...documents].sort((first, second) => rank(first) - rank(second));
}
