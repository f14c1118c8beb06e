import type { FastifyInstance } from 'fastify';
import { DetailError, pdfAnswer, sendAnswer } from '../answers.ts';
import { mergeOf } from '../ledger.ts';
import type { StoredDocument } from '../model.ts';
import type { Parts } from '../parts.ts';
import type { Profile } from '../profiles/profile.ts';
import { isPdf } from '../storedFile.ts';

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
			const documents = [...workflow.documents.values()].filter(
				({ collection: own, confirmed }) => confirmed && own === collection,
			);
			// Anything else cannot be merged.
			const pdfs = arrange(documents, request.body?.label_order, profile).flatMap((document) =>
				document.file && isPdf(document.file) ? [{ ...document, bytes: document.file.bytes }] : [],
			);
			if (pdfs.length === 0) throw new DetailError(400, 'The collection has no PDF');
			const { pages, bytes } = await tools.merge(pdfs);
			const merged = store.keepMerged({ fileName: `${collection?.name}.pdf`, bytes });
			store.ledger.merges.push(mergeOf(collection_id, pdfs, merged, pages));
			const answer = profile.merge.answer({
				pdf: pdfAnswer(merged),
				storageUrl: storage.merged(merged.key),
				apiUrl: `${parts.url}/api/v1/merged-documents/${merged.key}`,
				fileName: merged.fileName,
				pages,
			});
			return sendAnswer(reply, answer);
		},
	);

	app.get<{ Params: { key: string } }>(
		'/merged-documents/:key',
		{ config: { operation: 'downloadMerged', scope: 'read' } },
		async (request, reply) => {
			const merged = store.merged.get(request.params.key);
			if (!merged) throw new DetailError(404, 'Merged document not found');
			return sendAnswer(reply, pdfAnswer(merged));
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
