import type { INode, INodeParameters, IWorkflowBase } from 'n8n-workflow';
import { packageName } from './pack.ts';

/** As n8n exports a workflow. */
export type WorkflowFile = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections' | 'settings'>;

export type NodeSettings = Partial<Omit<INode, 'type' | 'typeVersion' | 'parameters'>>;
export type WorkflowNode = Omit<INode, 'id' | 'position'> & Partial<Pick<INode, 'position'>>;

export const nodeType = `${packageName}.documentExtraction`;
export const extractionNodeName = 'Document Extraction';
export const credentialType = 'documentExtractionApi';
export const manualTriggerType = 'n8n-nodes-base.manualTrigger';

export const columnWidth = 240;

export const manualTrigger: WorkflowNode = {
	name: 'Start',
	type: manualTriggerType,
	typeVersion: 1,
	parameters: {},
};

export const codeNode = (name: string, jsCode: string): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode },
});

/** Takes files of this machine into the flow. */
export const readFiles = (fileSelector: string, name = 'Read PDFs'): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.readWriteFile',
	typeVersion: 1,
	parameters: { operation: 'read', fileSelector },
});

/** Answers a POST with the JSON of the last node's first item, unless told otherwise, while it is active. */
export const webhook = (path: string, parameters: INodeParameters = {}): WorkflowNode => ({
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	webhookId: path,
	parameters: { path, httpMethod: 'POST', responseMode: 'lastNode', ...parameters },
});

/** The node of this package; a saved credential takes the place of the named one on import. */
export const extractionNode = (
	parameters: INodeParameters,
	settings: NodeSettings = {},
): WorkflowNode => ({
	name: extractionNodeName,
	type: nodeType,
	typeVersion: 1,
	parameters,
	credentials: { [credentialType]: { id: null, name: 'Document Extraction account' } },
	...settings,
});

/** n8n's own HTTP Request with this package's credential; its older versions are other programs. */
export const httpRequest = (
	name: string,
	parameters: INodeParameters,
	{ typeVersion = 4.4, ...settings }: NodeSettings & { typeVersion?: number } = {},
): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion,
	parameters: {
		method: 'GET',
		authentication: 'predefinedCredentialType',
		nodeCredentialType: credentialType,
		options: {},
		...parameters,
	},
	credentials: { [credentialType]: { id: null, name: 'Document Extraction' } },
	...settings,
});

/** Nodes in a row, each connected to the next. */
export function chain(name: string, nodes: WorkflowNode[]): WorkflowFile {
	return {
		name,
		settings: {},
		nodes: nodes.map((node, index) => ({
			id: String(index),
			position: [index * columnWidth, 0],
			...node,
		})),
		connections: Object.fromEntries(
			nodes
				.slice(1)
				.map((node, index) => [
					nodes[index].name,
					{ main: [[{ node: node.name, type: 'main', index: 0 }]] },
				]),
		),
	};
}
