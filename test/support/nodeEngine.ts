import { randomUUID } from 'node:crypto';
import { Container } from '@n8n/di';
import {
	ExecuteContext,
	ExecutionLifecycleHooks,
	ExternalSecretsProxy,
	LoadOptionsContext,
	SupplyDataContext,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	Workflow,
	type ExecutionError,
	type ExecutionStatus,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRunData,
	type IWorkflowExecuteAdditionalData,
	type IWorkflowSettings,
	type NodeExecutionHint,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { useBinaryMode, type BinaryMode } from './binary';
import { InMemoryCredentialsHelper, notPartOfTheTests } from './credentialsHelper';
import { writeNoLog } from './log';

// Only logOf reads it.
writeNoLog();

const PACKAGE_NAME = 'n8n-nodes-document-extraction';
const N8N_URL = 'http://n8n.invalid';

const START: INode = {
	id: 'start',
	name: 'Start',
	type: 'start',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const BETWEEN: INode = { ...START, id: 'between', name: 'Between', type: 'between' };

const NODE_SETTINGS = [
	'alwaysOutputData',
	'continueOnFail',
	'executeOnce',
	'maxTries',
	'onError',
	'retryOnFail',
	'typeVersion',
	'waitBetweenTries',
] as const;

interface NodeOptions extends Partial<Pick<INode, (typeof NODE_SETTINGS)[number]>> {
	parameters?: INodeParameters;
	/** Left out: a node that nobody has given a credential yet. */
	credential?: ICredentialDataDecryptedObject;
	workflowSettings?: IWorkflowSettings;
}

export interface ContextOptions extends NodeOptions {
	items?: INodeExecutionData[];
	executionMode?: WorkflowExecuteMode;
	/** Aborting it is pressing Stop: `AbortSignal.timeout(300)` presses it after 300 ms. */
	signal?: AbortSignal;
}

export interface RunOptions extends ContextOptions {
	binaryMode?: BinaryMode;
	/** What a node between Start and the node hands on, for each of Start's items; left out: there is none. */
	between?: INodeExecutionData[];
}

export interface LoadOptions extends NodeOptions {
	/** The field whose list is asked for, as the editor names it. */
	path?: string;
}

export interface NodeRun {
	output: INodeExecutionData[];
	errorOutput: INodeExecutionData[];
	/** What the node threw, as n8n saves it; there even if the node setting made n8n go on. */
	error?: ExecutionError;
	/** What the node announced; n8n drops the hints of a node that throws. */
	hints: NodeExecutionHint[];
	/** As n8n saves it: whatever the node still does after Stop, the execution is canceled. */
	status: ExecutionStatus;
	runData: IRunData;
}

function handingOut({ name, type, typeVersion }: INode, items: INodeExecutionData[]): INodeType {
	return {
		description: {
			displayName: name,
			name: type,
			group: ['input'],
			version: typeVersion,
			description: 'Hands on the items of the test',
			defaults: { name },
			inputs: name === START.name ? [] : [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		// Copies, since n8n notes on each item where it comes from.
		execute: async () => [items.map((item) => ({ ...item }))],
	};
}

/** One node of this package, run by n8n's own execution engine. */
export class NodeEngine {
	private readonly nodeName: string;

	private readonly nodeTypeName: string;

	constructor(
		private readonly nodeType: INodeType,
		private readonly credentialType: ICredentialType,
	) {
		this.nodeName = nodeType.description.displayName;
		this.nodeTypeName = `${PACKAGE_NAME}.${nodeType.description.name}`;
	}

	/** Runs a workflow of two nodes: Start, which hands out the items, and the node. */
	async runNode(options: RunOptions = {}): Promise<NodeRun> {
		await useBinaryMode(options.binaryMode ?? 'memory');

		const { signal, common } = this.prepared(options);
		const [workflow, , additionalData, executionMode] = common;
		let saved: ExecutionStatus | undefined;
		additionalData.hooks?.addHandler('workflowExecuteAfter', ({ status }) => {
			saved ??= status;
		});
		const engine = new WorkflowExecute(additionalData, executionMode);
		const running = engine.run({ workflow, startNode: workflow.nodes[START.name] });

		const pressStop = () => running.cancel();
		if (signal?.aborted) pressStop();
		signal?.addEventListener('abort', pressStop, { once: true });
		const { data, status } = await running;
		signal?.removeEventListener('abort', pressStop);

		const { runData, error } = data.resultData;
		const nodeData = runData[this.nodeName]?.at(-1);
		const [output, errorOutput] = nodeData?.data?.main ?? [];
		return {
			output: output ?? [],
			errorOutput: errorOutput ?? [],
			error: withText(nodeData?.error ?? error),
			hints: nodeData?.hints ?? [],
			status: saved ?? status,
			runData,
		};
	}

	/** What the node's `execute` gets as `this`, to call one of its parts alone. */
	executeContext(options: ContextOptions = {}): ExecuteContext {
		const { items, node, signal, common } = this.prepared(options);
		const data = { main: [items] };
		const source = { main: [{ previousNode: START.name }] };
		const startRun = { startTime: 0, executionTime: 0, executionIndex: 0, source: [], data };

		return new ExecuteContext(
			...common,
			createRunExecutionData({ resultData: { runData: { [START.name]: [startRun] } } }),
			0,
			items,
			data,
			{ node, data, source },
			[],
			signal,
		);
	}

	/** What the tool of an agent gets as `this` behind an MCP Server Trigger, and from older agents. */
	toolContext(options: ContextOptions = {}): IExecuteFunctions {
		const { items, node, signal, common } = this.prepared(options);
		const data = { [NodeConnectionTypes.AiTool]: [items] };
		const context = new SupplyDataContext(
			...common,
			createRunExecutionData(),
			0,
			items,
			data,
			NodeConnectionTypes.AiTool,
			{ node, data, source: null },
			[],
			signal,
		);
		// Some of what the type promises is not there, in n8n either.
		return context as SupplyDataContext & IExecuteFunctions;
	}

	/** What a dropdown's method (`listSearch`, `loadOptions`) gets as `this`. */
	loadOptionsContext(options: LoadOptions = {}): LoadOptionsContext {
		const workflow = this.workflow(options, []);
		return new LoadOptionsContext(
			workflow,
			workflow.nodes[this.nodeName],
			{
				...this.additionalData(options, 'internal'),
				currentNodeParameters: options.parameters ?? {},
			},
			options.path ?? '',
		);
	}

	private prepared(options: RunOptions) {
		const { items = [{ json: {} }], executionMode = 'trigger', signal } = options;
		const workflow = this.workflow(options, items);
		const node = workflow.nodes[this.nodeName];
		const additionalData = this.additionalData(options, executionMode);
		const common = [workflow, node, additionalData, executionMode] as const;
		return { items, node, signal, common };
	}

	private workflow(
		options: NodeOptions & Pick<RunOptions, 'between'>,
		items: INodeExecutionData[],
	): Workflow {
		const types: Record<string, INodeType> = {
			[START.type]: handingOut(START, items),
			[BETWEEN.type]: handingOut(BETWEEN, options.between ?? []),
			[this.nodeTypeName]: this.nodeType,
		};
		const typeOf = (name: string) => types[name];
		const to = (node: string) => ({ main: [[{ node, type: NodeConnectionTypes.Main, index: 0 }]] });
		const before = options.between ? [START, BETWEEN] : [START];
		const names = [...before.map(({ name }) => name), this.nodeName];
		return new Workflow({
			id: 'workflow-id',
			name: 'Workflow',
			active: false,
			nodes: [...before.map((node) => ({ ...node })), this.node(options)],
			connections: Object.fromEntries(
				before.map(({ name }, index) => [name, to(names[index + 1])]),
			),
			nodeTypes: { getByName: typeOf, getByNameAndVersion: typeOf, getKnownTypes: () => ({}) },
			settings: { executionOrder: 'v1', ...options.workflowSettings },
		});
	}

	private node(options: NodeOptions): INode {
		const { name } = this.credentialType;
		return {
			id: 'node-id',
			name: this.nodeName,
			type: this.nodeTypeName,
			typeVersion: [this.nodeType.description.version].flat().at(-1) ?? 1,
			position: [0, 0],
			parameters: options.parameters ?? {},
			...(options.credential && {
				credentials: { [name]: { id: 'credential-id', name: 'Credential' } },
			}),
			...Object.fromEntries(
				NODE_SETTINGS.flatMap((name) => (name in options ? [[name, options[name]]] : [])),
			),
		};
	}

	private additionalData(
		{ credential }: NodeOptions,
		mode: WorkflowExecuteMode,
	): IWorkflowExecuteAdditionalData {
		const executionId = randomUUID();
		return {
			executionId,
			credentialsHelper: new InMemoryCredentialsHelper(
				this.credentialType,
				this.nodeTypeName,
				credential,
			),
			externalSecretsProxy: Container.get(ExternalSecretsProxy),
			hooks: new ExecutionLifecycleHooks(mode, executionId, {
				id: 'workflow-id',
				name: 'Workflow',
				active: false,
				activeVersionId: null,
				isArchived: false,
				createdAt: new Date(),
				updatedAt: new Date(),
				nodes: [],
				connections: {},
			}),
			currentNodeExecutionIndex: 0,
			variables: {},
			instanceBaseUrl: N8N_URL,
			restApiUrl: N8N_URL,
			formBaseUrl: N8N_URL,
			formTestBaseUrl: N8N_URL,
			formWaitingBaseUrl: N8N_URL,
			webhookBaseUrl: N8N_URL,
			webhookTestBaseUrl: N8N_URL,
			webhookWaitingBaseUrl: N8N_URL,
			mcpBaseUrl: N8N_URL,
			mcpTestBaseUrl: N8N_URL,
			executeWorkflow: notPartOfTheTests,
			getRunExecutionData: notPartOfTheTests,
			getRuntimeCredential: notPartOfTheTests,
			logAiEvent: notPartOfTheTests,
			startRunnerTask: notPartOfTheTests,
		};
	}
}

/** An error with its description as one text: n8n's editor shows the paragraphs apart. */
function withText(error: ExecutionError | undefined): ExecutionError | undefined {
	if (typeof error?.description === 'string') {
		error.description = error.description.replaceAll('<br>\n<br>\n', ' ');
	}
	return error;
}
