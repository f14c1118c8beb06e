/** Flows from files to values: upload, extract, wait, read the results, tell which file they belong to. */
import type { RunningN8n } from '../../n8n/server.ts';
import { extractionNode, extractionNodeName, type WorkflowFile } from '../../n8n/workflow.ts';
import type { Account } from '../stage.ts';
import {
	allPages,
	connected,
	countOf,
	httpRequest,
	ifTrue,
	jsonBody,
	mergeByField,
	readFiles,
	splitOut,
	waitSeconds,
} from './coreNodes.ts';
import { openFlow, type Flow } from './flow.ts';
import {
	addressIn,
	directUploadNodes,
	signedUploadNodes,
	withFilesMerged,
	type UploadKind,
} from './uploads.ts';

export async function ourExtraction(
	n8n: RunningN8n,
	{ credential }: Account,
	name: string,
	folder: string,
	kind: UploadKind,
): Promise<Flow> {
	const node = extractionNode({
		resource: 'extraction',
		operation: 'extractFromFiles',
		simple: false,
		uploadMethod: kind,
	});
	return await openFlow(n8n, credential, {
		name,
		nodes: [readFiles(`${folder}/*`), node, countOf('documentId')],
		first: extractionNodeName,
		last: extractionNodeName,
	});
}

const withFiles = 'Results with files';
const busy = 'Still extracting?';
/** As often as the node itself looks at first; flows that people build look less often. */
const pollSeconds = 0.5;

/** What stands between the files and the values with n8n's own nodes. */
export function coreExtractionNodes(account: Account, kind: UploadKind) {
	const upload = kind === 'direct' ? directUploadNodes(account) : signedUploadNodes(account);
	/** The node whose items hold the document's ID and the file's name. */
	const documents = kind === 'direct' ? upload[0].name : upload[1].name;
	const nodes = [
		...upload,
		httpRequest(
			'Extract',
			{
				method: 'POST',
				url: addressIn(account, '/extract'),
				...jsonBody(
					`{ document_ids: $('${documents}').all().map(({ json }) => json.document_id) }`,
				),
			},
			{ executeOnce: true },
		),
		waitSeconds(pollSeconds),
		httpRequest('Status', { url: addressIn(account, '') }),
		ifTrue(busy, 'is_extracting'),
		httpRequest('Read pages', {
			url: addressIn(account, '/extractions'),
			sendQuery: true,
			queryParameters: { parameters: [{ name: 'limit', value: '200' }] },
			options: allPages,
		}),
		splitOut('items'),
		mergeByField(withFiles, 'document_id'),
	];
	const rewire = (row: WorkflowFile) => {
		const merged = kind === 'signed' ? withFilesMerged(row) : row;
		const named = connected(merged, [documents, 0], [withFiles, 1]);
		const looped = { ...named, connections: { ...named.connections, [busy]: { main: [] } } };
		return connected(connected(looped, [busy, 0], ['Wait', 0]), [busy, 1], ['Read pages', 0]);
	};
	return { nodes, rewire, first: upload[0].name, last: withFiles };
}

export async function coreExtraction(
	n8n: RunningN8n,
	account: Account,
	name: string,
	folder: string,
	kind: UploadKind,
): Promise<Flow & { nodes: number }> {
	const { nodes, ...plan } = coreExtractionNodes(account, kind);
	const flow = await openFlow(n8n, account.credential, {
		name,
		nodes: [readFiles(`${folder}/*`), ...nodes, countOf('document_id')],
		...plan,
	});
	return { ...flow, nodes: nodes.length };
}
