import type { INodeParameters } from 'n8n-workflow';
import type { SavedCredential } from './editor.ts';
import {
	chain,
	extractionNode,
	manualTrigger,
	type NodeSettings,
	nodeType,
	type WorkflowFile,
	type WorkflowNode,
} from './workflow.ts';

export const agentName = 'Agent';
const modelName = 'Model';

/** The node as n8n offers it to an agent: under a name of its own, described by its operation. */
export const extractionTool = (
	name: string,
	parameters: INodeParameters,
	settings: NodeSettings = {},
): WorkflowNode => ({
	...extractionNode({ descriptionType: 'auto', ...parameters }, { name, ...settings }),
	type: `${nodeType}Tool`,
});

/** What the editor enters where a person lets the model define a field. */
export const fromModel = (key: string, description: string, type: 'string' | 'number' = 'string') =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, '${type}') }}`;

interface Agent {
	version: number;
	modelCredential: SavedCredential;
	/** Stands in the agent's input item, too. */
	question?: string;
}

/** An agent with tools, started by hand. */
export function agentWith(
	tools: WorkflowNode[],
	{ version, modelCredential: { id, name, type }, question = 'What do the documents say?' }: Agent,
): WorkflowFile {
	const model: WorkflowNode = {
		name: modelName,
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.2,
		parameters: { model: { __rl: true, mode: 'id', value: 'stand-in' } },
		credentials: { [type]: { id, name } },
	};
	const agent: WorkflowNode = {
		name: agentName,
		type: '@n8n/n8n-nodes-langchain.agent',
		typeVersion: version,
		parameters: { promptType: 'define', text: '={{ $json.question }}' },
	};
	const asked: WorkflowNode = {
		name: 'Question',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: JSON.stringify({ question }) },
	};
	const { connections, ...workflow } = chain(agentName, [manualTrigger, asked, agent]);
	const helpers = chain(agentName, [model, ...tools]).nodes.map((node) => ({
		...node,
		id: `helper ${node.id}`,
	}));
	return {
		...workflow,
		settings: { executionOrder: 'v1' },
		nodes: [...workflow.nodes, ...helpers],
		connections: {
			...connections,
			...Object.fromEntries(
				helpers.map((helper) => {
					const kind = helper.name === modelName ? 'ai_languageModel' : 'ai_tool';
					return [helper.name, { [kind]: [[{ node: agentName, type: kind, index: 0 }]] }];
				}),
			),
		},
	};
}
