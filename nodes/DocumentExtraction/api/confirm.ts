/** Confirming files that were put to signed URLs (interface.md §4.4). */
import { settleInOrder, type Settled } from '../http/concurrency';
import type { Client } from './client';
import { requiredDetail } from './details/apiDetails';
import {
	assertConfirm,
	confirmationBody,
	confirmsManyAtOnce,
	type PlaceholderValues,
} from './details/requests';
import { chunks, DEFAULT_DOCUMENTS_PER_CALL } from './extractions';
import { recall, remember, type WriteKey } from './memory';
import { callService, workflowPath } from './service';

/**
 * Checks that documents can be confirmed, before the first request.
 * @throws UserError naming the API Detail that is missing or malformed
 */
export function assertCanConfirm({ credential }: Client) {
	assertConfirm(credential);
}

/**
 * Confirms uploads that were put to signed URLs: many in one call, if the API Detail 'Confirm Body'
 * repeats a list over {document_id}, else one call per document. What an earlier try of the execution
 * has confirmed, or may have, is not confirmed again.
 * @returns what the service responded to each document, in order, or why it is not confirmed
 */
export async function confirmDocuments(
	client: Client,
	documents: PlaceholderValues[],
): Promise<Array<Settled<unknown>>> {
	const { credential, maxConcurrency } = client;
	const confirm = async (group: number[]) => {
		const { json } = await callService(client, {
			method: requiredDetail(credential, 'confirmMethod'),
			path: `${workflowPath(client)}/documents/confirm`,
			body: confirmationBody(
				credential,
				group.map((index) => documents[index]),
			),
			expects: 'any',
			shownBy: 'Document › Get Many',
			madeFrom: ['confirmMethod', 'confirmBody'],
		});
		return json;
	};
	const confirmations = documents.map((document) => recall(client, keyOf(client, document)));
	const open = [...documents.keys()].filter((index) => confirmations[index] === undefined);
	const size = confirmsManyAtOnce(credential) ? DEFAULT_DOCUMENTS_PER_CALL : 1;
	const groups = chunks(open, size);
	const outcomes = await settleInOrder(groups, maxConcurrency, false, confirm);
	for (const [number, group] of groups.entries()) {
		const outcome = outcomes[number] as Settled<unknown>;
		for (const index of group) {
			confirmations[index] = outcome;
			remember(client, keyOf(client, documents[index]), outcome);
		}
	}
	return confirmations as Array<Settled<unknown>>;
}

const keyOf = (
	{ address, workflowId }: Client,
	{ document_id: documentId = '' }: PlaceholderValues,
): WriteKey => ['confirm', address, workflowId, documentId];
