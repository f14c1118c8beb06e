/** Flows of n8n's own nodes. Profile `atlas`, which the benchmarks run against. */
import type { INodeParameters } from 'n8n-workflow';
import type { Account } from '../../n8n/stage.ts';
import {
	chain,
	httpRequest,
	readFiles,
	webhook,
	type NodeSettings,
	type WorkflowFile,
	type WorkflowNode,
} from '../../n8n/workflow.ts';
import { countOf, openFlow, type Place } from './flow.ts';
import type { UploadKind } from './own.ts';

const addressOf = ({ url, account }: Account['service']) =>
	`${url}/api/v1/workflows/${account.environments.test.workflows.main.id}`;

/** A POST of JSON; `body` is an expression. */
const post = (name: string, url: string, body: string, settings: NodeSettings = {}) =>
	httpRequest(
		name,
		{
			method: 'POST',
			url,
			sendBody: true,
			contentType: 'json',
			specifyBody: 'json',
			jsonBody: `={{ ${body} }}`,
		},
		settings,
	);

const ONCE = { executeOnce: true };

const idsOf = (node: string) =>
	`{ document_ids: $('${node}').all().map(({ json }) => json.document_id) }`;

const mergeNode = (name: string, parameters: INodeParameters): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.merge',
	typeVersion: 3.2,
	parameters: { mode: 'combine', options: {}, ...parameters },
});

/** Leads from one node to another, beside the row that they stand in: from this output, to this input. */
function connect(
	{ connections }: WorkflowFile,
	from: string,
	output: number,
	to: string,
	input: number,
) {
	const { main } = connections[from];
	(main[output] ??= []).push({ node: to, type: 'main', index: input });
}

/** One node, which sends the file. */
const directUpload = (address: string, folder: string): WorkflowNode[] => [
	readFiles(`${folder}/*`, 'Files'),
	httpRequest('Upload', {
		method: 'POST',
		url: `${address}/documents`,
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }],
		},
	}),
];

const described = [
	'file_name: $binary.data.fileName',
	'content_type: $binary.data.mimeType',
	'file_size: Number($binary.data.bytes)',
];

/** The nodes for URL, PUT and confirmation. */
const signedUpload = (address: string, folder: string): WorkflowNode[] => [
	readFiles(`${folder}/*`, 'Files'),
	post('Create URL', `${address}/documents/upload-urls`, `{ ${described.join(', ')} }`),
	mergeNode('Files with URLs', { combineBy: 'combineByPosition' }),
	httpRequest('Put', {
		authentication: 'none',
		method: 'PUT',
		url: '={{ $json.upload_url }}',
		sendBody: true,
		contentType: 'binaryData',
		inputDataFieldName: 'data',
	}),
	post('Confirm', `${address}/documents/confirm`, idsOf('Files with URLs'), ONCE),
];

/** Reads all pages of the results, and gives an item for each result. */
const readResults = (address: string): WorkflowNode[] => [
	httpRequest('Read pages', {
		url: `${address}/extractions`,
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'limit', value: '200' }] },
		options: {
			pagination: {
				pagination: {
					paginationMode: 'updateAParameterInEachRequest',
					parameters: {
						parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }],
					},
					paginationCompleteWhen: 'other',
					completeExpression: '={{ $response.body.page >= $response.body.pages }}',
					requestInterval: 0,
				},
			},
		},
	}),
	{
		name: 'Split Out',
		type: 'n8n-nodes-base.splitOut',
		typeVersion: 1,
		parameters: { fieldToSplitOut: 'items', options: {} },
	},
];

/** Goes on by its first output while a workflow is extracting. */
const isStillExtracting: WorkflowNode = {
	name: 'Still extracting?',
	type: 'n8n-nodes-base.if',
	typeVersion: 2.2,
	parameters: {
		conditions: {
			combinator: 'and',
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			conditions: [
				{
					id: '1',
					leftValue: '={{ $json.is_extracting }}',
					rightValue: '',
					operator: { type: 'boolean', operation: 'true', singleValue: true },
				},
			],
		},
	},
};

/** As a picture shows them best: by name, left and top. */
const PLACES: Record<string, [left: number, top: number]> = {
	Files: [0, 0],
	Upload: [240, 0],
	Extract: [240, 240],
	Wait: [480, 240],
	Status: [720, 240],
	'Still extracting?': [240, 480],
	'Read pages': [480, 480],
	'Split Out': [720, 480],
	'Results with files': [960, 0],
};

/** From the files to the values in each: all of the job, between what calls the flow and what counts. */
function extraction(
	service: Account['service'],
	folder: string,
	before: WorkflowNode[] = [],
	after: WorkflowNode[] = [],
): WorkflowFile {
	const address = addressOf(service);
	const nodes = [
		...directUpload(address, folder),
		post('Extract', `${address}/extract`, idsOf('Upload'), ONCE),
		{
			name: 'Wait',
			type: 'n8n-nodes-base.wait',
			typeVersion: 1.1,
			parameters: { resume: 'timeInterval', amount: 0.5, unit: 'seconds' },
		},
		httpRequest('Status', { url: address }),
		isStillExtracting,
		...readResults(address),
		mergeNode('Results with files', { fieldsToMatchString: 'document_id' }),
	].map((node) => ({ ...node, position: PLACES[node.name] }));
	const flow = chain('Core nodes', [...before, ...nodes, ...after]);
	flow.connections['Still extracting?'] = { main: [] };
	connect(flow, 'Still extracting?', 0, 'Wait', 0);
	connect(flow, 'Still extracting?', 1, 'Read pages', 0);
	connect(flow, 'Upload', 0, 'Results with files', 1);
	return flow;
}

/** For a picture: nobody runs it. */
export const extractionFlow = (service: Account['service'], folder: string) =>
	extraction(service, folder);

export async function coreUpload(place: Place, folder: string, kind: UploadKind) {
	const upload = kind === 'direct' ? directUpload : signedUpload;
	const nodes = upload(addressOf(place.account.service), folder);
	const open = (path: string) => {
		const flow = chain('Core nodes, upload', [webhook(path), ...nodes]);
		if (kind === 'signed') connect(flow, 'Files', 0, 'Files with URLs', 1);
		return flow;
	};
	return await openFlow(place, open, namesOf(nodes));
}

export async function coreExtraction(place: Place, folder: string) {
	const open = (path: string) =>
		extraction(place.account.service, folder, [webhook(path)], [countOf('document_id')]);
	return await openFlow(place, open, namesOf(extractionFlow(place.account.service, folder).nodes));
}

export async function coreRows(place: Place) {
	const nodes = readResults(addressOf(place.account.service));
	const open = (path: string) =>
		chain('Core nodes, all rows', [webhook(path), ...nodes, countOf('document_id')]);
	return await openFlow(place, open, namesOf(nodes));
}

/** Of those that do the job. */
const namesOf = (nodes: Array<{ name: string }>) =>
	nodes.map(({ name }) => name).filter((name) => name !== 'Files');
