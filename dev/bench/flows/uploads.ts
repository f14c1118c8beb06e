/** Flows that upload all files of a folder, in every way that a user might build. */
import type { INodeParameters } from 'n8n-workflow';
import type { RunningN8n } from '../../n8n/server.ts';
import {
	extractionNode,
	extractionNodeName,
	type NodeSettings,
	type WorkflowNode,
} from '../../n8n/workflow.ts';
import type { Account } from '../stage.ts';
import {
	connected,
	filesNode,
	httpRequest,
	jsonBody,
	mergeByPosition,
	readFiles,
} from './coreNodes.ts';
import { openFlow, type Flow } from './flow.ts';

export type UploadKind = 'direct' | 'signed';

interface UploadFlow {
	n8n: RunningN8n;
	account: Account;
	/** Must differ from flow to flow. */
	name: string;
	folder: string;
}

/** `POST …` and the like of the profile `atlas`, which the benchmarks run against. */
export const addressIn = ({ service }: Account, path: string) =>
	`${service.url}/api/v1/workflows/${service.account.environments.test.workflows.main.id}${path}`;

export async function ourUpload(
	{ n8n, account, name, folder }: UploadFlow,
	kind: UploadKind,
): Promise<Flow> {
	const node = extractionNode({ resource: 'document', operation: 'upload', uploadMethod: kind });
	return await openFlow(n8n, account.credential, {
		name,
		nodes: [readFiles(`${folder}/*`), node],
		first: extractionNodeName,
		last: extractionNodeName,
	});
}

const formUpload = (url: string, options: INodeParameters, settings?: NodeSettings) =>
	httpRequest(
		'Upload',
		{
			method: 'POST',
			url,
			sendBody: true,
			contentType: 'multipart-form-data',
			bodyParameters: {
				parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }],
			},
			options,
		},
		settings,
	);

/** One HTTP Request node: all files at once, unless its options say otherwise. */
export const directUploadNodes = (
	account: Account,
	options: INodeParameters = {},
	settings: NodeSettings = {},
): WorkflowNode[] => [formUpload(addressIn(account, '/documents'), options, settings)];

const withUrl = 'Files with URLs';

/** URL, PUT, confirmation; a Merge node brings the files back, which HTTP Request drops. */
export const signedUploadNodes = (
	account: Account,
	options: INodeParameters = {},
): WorkflowNode[] => [
	httpRequest('Create URL', {
		method: 'POST',
		url: addressIn(account, '/documents/upload-urls'),
		...jsonBody(
			`{ file_name: $binary.data.fileName, content_type: $binary.data.mimeType, file_size: Number($binary.data.bytes) }`,
		),
		options,
	}),
	mergeByPosition(withUrl),
	httpRequest('Put', {
		authentication: 'none',
		method: 'PUT',
		url: '={{ $json.upload_url }}',
		sendBody: true,
		contentType: 'binaryData',
		inputDataFieldName: 'data',
		options,
	}),
	httpRequest(
		'Confirm',
		{
			method: 'POST',
			url: addressIn(account, '/documents/confirm'),
			...jsonBody(`{ document_ids: $('${withUrl}').all().map(({ json }) => json.document_id) }`),
		},
		{ executeOnce: true },
	),
];

export const withFilesMerged = (workflow: Parameters<typeof connected>[0]) =>
	connected(workflow, [filesNode, 0], [withUrl, 1]);

export async function coreUpload(
	{ n8n, account, name, folder }: UploadFlow,
	kind: UploadKind,
	options: INodeParameters = {},
	settings: NodeSettings = {},
): Promise<Flow & { nodes: number }> {
	const nodes =
		kind === 'direct'
			? directUploadNodes(account, options, settings)
			: signedUploadNodes(account, options);
	const flow = await openFlow(n8n, account.credential, {
		name,
		nodes: [readFiles(`${folder}/*`), ...nodes],
		rewire: kind === 'signed' ? withFilesMerged : undefined,
		first: nodes[0].name,
		last: nodes[nodes.length - 1].name,
	});
	return { ...flow, nodes: nodes.length };
}
