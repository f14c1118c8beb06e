/** Flows that read extraction results. */
import type { RunningN8n } from '../../n8n/server.ts';
import { extractionNode, extractionNodeName } from '../../n8n/workflow.ts';
import type { Account } from '../stage.ts';
import { allPages, countOf, httpRequest, splitOut } from './coreNodes.ts';
import { openFlow, type Flow } from './flow.ts';
import { addressIn } from './uploads.ts';

const rowId = 'document_id';

export async function ourRows(
	n8n: RunningN8n,
	{ credential }: Account,
	name: string,
	{ limit, savesExecutions }: { limit?: number; savesExecutions?: boolean } = {},
): Promise<Flow> {
	const wanted = limit === undefined ? { returnAll: true } : { returnAll: false, limit };
	return await openFlow(n8n, credential, {
		name,
		nodes: [
			extractionNode({ resource: 'extraction', operation: 'getAll', simple: false, ...wanted }),
			countOf(rowId),
		],
		first: extractionNodeName,
		last: extractionNodeName,
		savesExecutions,
	});
}

export async function coreRows(
	n8n: RunningN8n,
	account: Account,
	name: string,
): Promise<Flow & { nodes: number }> {
	const read = httpRequest('Read pages', {
		url: addressIn(account, '/extractions'),
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'limit', value: '200' }] },
		options: allPages,
	});
	const split = splitOut('items');
	const flow = await openFlow(n8n, account.credential, {
		name,
		nodes: [read, split, countOf(rowId)],
		first: read.name,
		last: split.name,
	});
	return { ...flow, nodes: 2 };
}
