/** Flows of n8n's own nodes. Profile `atlas`, which the benchmarks run against. */
import type { IConnections, INodeParameters } from 'n8n-workflow';
import type { Account } from '../../n8n/stage.ts';
import {
	chain,
	credentialType,
	readFiles,
	webhook,
	type NodeSettings,
	type WorkflowFile,
	type WorkflowNode,
} from '../../n8n/workflow.ts';
import { countOf, openFlow, type Place } from './flow.ts';
import type { UploadKind } from './own.ts';

interface Link {
	from: string;
	to: string;
	/** Of the node that it comes from: the first one, unless it says otherwise. */
	output?: number;
	/** Of the node that it leads to. */
	input?: number;
}

/** Nodes in the order in which they work, and how they are connected. */
interface Job {
	name: string;
	nodes: WorkflowNode[];
	links: Link[];
}

/** Uploads are all of the job, or its beginning. */
interface Upload extends Job {
	/** Whose items have the documents' IDs. */
	idsFrom: string;
}

function flowOf({ name, nodes, links }: Job): WorkflowFile {
	const connections: IConnections = {};
	for (const { from, to, output = 0, input = 0 } of links) {
		const { main } = (connections[from] ??= { main: [] });
		(main[output] ??= []).push({ node: to, type: 'main', index: input });
	}
	return { ...chain(name, nodes), connections };
}

const inARow = (...names: string[]): Link[] =>
	names.slice(1).map((to, index) => ({ from: names[index], to }));

const addressOf = ({ url, account }: Account['service']) =>
	`${url}/api/v1/workflows/${account.environments.test.workflows.main.id}`;

const httpRequest = (
	name: string,
	parameters: INodeParameters,
	settings: NodeSettings = {},
): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.4,
	parameters: {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: credentialType,
		options: {},
		...parameters,
	},
	credentials: { [credentialType]: { id: null, name: 'Document Extraction' } },
	...settings,
});

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

/** One node, which sends the file. */
const directUpload = (address: string, folder: string, options: INodeParameters): Upload => ({
	name: 'Core nodes, direct upload',
	nodes: [
		readFiles(`${folder}/*`, 'Files'),
		httpRequest('Upload', {
			method: 'POST',
			url: `${address}/documents`,
			sendBody: true,
			contentType: 'multipart-form-data',
			bodyParameters: {
				parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }],
			},
			options,
		}),
	],
	links: inARow('Files', 'Upload'),
	idsFrom: 'Upload',
});

const mergeNode = (name: string, parameters: INodeParameters): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.merge',
	typeVersion: 3.2,
	parameters: { mode: 'combine', options: {}, ...parameters },
});

/** The nodes for URL, PUT and confirmation. */
function signedUpload(address: string, folder: string, options: INodeParameters): Upload {
	const described = [
		'file_name: $binary.data.fileName',
		'content_type: $binary.data.mimeType',
		'file_size: Number($binary.data.bytes)',
	];
	const create = post(
		'Create URL',
		`${address}/documents/upload-urls`,
		`{ ${described.join(', ')} }`,
	);
	return {
		name: 'Core nodes, signed upload',
		nodes: [
			readFiles(`${folder}/*`, 'Files'),
			{ ...create, parameters: { ...create.parameters, options } },
			mergeNode('Files with URLs', { combineBy: 'combineByPosition' }),
			httpRequest('Put', {
				authentication: 'none',
				method: 'PUT',
				url: '={{ $json.upload_url }}',
				sendBody: true,
				contentType: 'binaryData',
				inputDataFieldName: 'data',
				options,
			}),
			post('Confirm', `${address}/documents/confirm`, idsOf('Files with URLs'), ONCE),
		],
		links: [
			...inARow('Files', 'Create URL', 'Files with URLs', 'Put', 'Confirm'),
			{ from: 'Files', to: 'Files with URLs', input: 1 },
		],
		idsFrom: 'Files with URLs',
	};
}

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

const uploadJob = { direct: directUpload, signed: signedUpload };

function extractionJob(address: string, folder: string, kind: UploadKind): Job {
	const { name, nodes, links, idsFrom } = uploadJob[kind](address, folder, {});
	const last = nodes[nodes.length - 1].name;
	const wait = {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		parameters: { resume: 'timeInterval', amount: 0.5, unit: 'seconds' },
	};
	return {
		name,
		nodes: [
			...nodes,
			post('Extract', `${address}/extract`, idsOf(idsFrom), ONCE),
			wait,
			httpRequest('Status', { url: address }),
			isStillExtracting,
			...readResults(address),
			mergeNode('Results with files', { fieldsToMatchString: 'document_id' }),
		].map((node) => ({ ...node, position: PLACES[node.name] ?? [0, 0] })),
		links: [
			...links,
			...inARow(last, 'Extract', 'Wait', 'Status', 'Still extracting?', 'Wait'),
			{ from: 'Still extracting?', output: 1, to: 'Read pages' },
			...inARow('Read pages', 'Split Out', 'Results with files'),
			{ from: idsFrom, to: 'Results with files', input: 1 },
		],
	};
}

/** All of the job, without what calls the flow and counts its results. */
export const extractionFlow = (service: Account['service'], folder: string, kind: UploadKind) =>
	flowOf(extractionJob(addressOf(service), folder, kind));

/** @param after what counts the results, where the flow gives any */
async function open(place: Place, { name, nodes, links }: Job, ...after: WorkflowNode[]) {
	const names = nodes.map((node) => node.name);
	const ends = [names[names.length - 1], ...after.map((node) => node.name)];
	return await openFlow(
		place,
		(path) =>
			flowOf({
				name,
				nodes: [webhook(path), ...nodes, ...after],
				links: [...inARow('Webhook', names[0]), ...links, ...inARow(...ends)],
			}),
		names.filter((node) => node !== 'Files'),
	);
}

/** @param options of the nodes that send requests for files: all at once, unless these say otherwise */
export const coreUpload = async (
	place: Place,
	folder: string,
	kind: UploadKind,
	options: INodeParameters = {},
) => await open(place, uploadJob[kind](addressOf(place.account.service), folder, options));

export const coreExtraction = async (place: Place, folder: string, kind: UploadKind) =>
	await open(
		place,
		extractionJob(addressOf(place.account.service), folder, kind),
		countOf('document_id'),
	);

export const coreRows = async (place: Place) => {
	const nodes = readResults(addressOf(place.account.service));
	const job = { name: 'Core nodes, all rows', nodes, links: inARow('Read pages', 'Split Out') };
	return await open(place, job, countOf('document_id'));
};
