/** n8n's own nodes, set up as the benchmarks need them. */
import type { INodeParameters } from 'n8n-workflow';
import {
	credentialType,
	type NodeSettings,
	type WorkflowFile,
	type WorkflowNode,
} from '../../n8n/workflow.ts';

export const filesNode = 'Files';

/** Takes files of this machine into n8n's own storage of binary data. */
export const readFiles = (pattern: string): WorkflowNode => ({
	name: filesNode,
	type: 'n8n-nodes-base.readWriteFile',
	typeVersion: 1.1,
	parameters: { operation: 'read', fileSelector: pattern },
});

/** HTTP Request with the credential of this package. */
export const httpRequest = (
	name: string,
	parameters: INodeParameters,
	settings: NodeSettings = {},
): WorkflowNode => ({
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
	name,
});

export const jsonBody = (expression: string): INodeParameters => ({
	sendBody: true,
	contentType: 'json',
	specifyBody: 'json',
	jsonBody: `={{ ${expression} }}`,
});

/** Batching as the options of HTTP Request have it: it waits between batches, not for them. */
export const batching = (batchSize: number, batchInterval: number): INodeParameters => ({
	batching: { batch: { batchSize, batchInterval } },
});

/** One request after the other, until the service says that the page was the last. */
export const allPages: INodeParameters = {
	pagination: {
		pagination: {
			paginationMode: 'updateAParameterInEachRequest',
			parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
			paginationCompleteWhen: 'other',
			completeExpression: '={{ $response.body.page >= $response.body.pages }}',
			requestInterval: 0,
		},
	},
};

export const splitOut = (field: string): WorkflowNode => ({
	name: 'Split Out',
	type: 'n8n-nodes-base.splitOut',
	typeVersion: 1,
	parameters: { fieldToSplitOut: field, options: {} },
});

export const mergeByPosition = (name: string): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.merge',
	typeVersion: 3.2,
	parameters: { mode: 'combine', combineBy: 'combineByPosition', options: {} },
});

export const mergeByField = (name: string, field: string): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.merge',
	typeVersion: 3.2,
	parameters: { mode: 'combine', fieldsToMatchString: field, options: {} },
});

export const waitSeconds = (amount: number): WorkflowNode => ({
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { resume: 'timeInterval', amount, unit: 'seconds' },
});

/** The first output if the field is true, else the second. */
export const ifTrue = (name: string, field: string): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.if',
	typeVersion: 2.2,
	parameters: {
		conditions: {
			combinator: 'and',
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			conditions: [
				{
					id: '1',
					leftValue: `={{ $json.${field} }}`,
					rightValue: '',
					operator: { type: 'boolean', operation: 'true', singleValue: true },
				},
			],
		},
	},
});

export const countNode = 'Count';

/** How many different values the items have in a field: whether all results have arrived, each once. */
export const countOf = (field: string): WorkflowNode => ({
	name: countNode,
	type: 'n8n-nodes-base.summarize',
	typeVersion: 1.1,
	parameters: {
		fieldsToSummarize: { values: [{ aggregation: 'countUnique', field }] },
		options: {},
	},
});

/** One more connection in a flow. */
export function connected(
	workflow: WorkflowFile,
	[from, output]: [node: string, output: number],
	[to, input]: [node: string, input: number],
): WorkflowFile {
	const outputs = [...(workflow.connections[from]?.main ?? [])];
	while (outputs.length <= output) outputs.push([]);
	outputs[output] = [...(outputs[output] ?? []), { node: to, type: 'main', index: input }];
	return { ...workflow, connections: { ...workflow.connections, [from]: { main: outputs } } };
}
