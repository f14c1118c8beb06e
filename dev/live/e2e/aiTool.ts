import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import { type Reply, startModel } from '../../n8n/model.ts';
import {
	chain,
	extractionNode,
	manualTrigger,
	type NodeSettings,
	nodeType,
	type WorkflowFile,
} from '../../n8n/workflow.ts';
import { live, type Stage } from '../stage/live.ts';

/** What the editor enters where a person lets the model define a field. */
const fromModel = (key: string, description: string) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, 'string') }}`;

const documentId = fromModel('Document_ID', 'The ID of the document');
const results = 'Get many extraction results';
const extractOne = 'Extract one document uploaded earlier';
const extractDocuments = 'Extract documents uploaded earlier';

const tools: Record<string, { parameters: INodeParameters; offered: Record<string, object> }> = {
	[results]: {
		parameters: {
			resource: 'extraction',
			operation: 'getAll',
			documentIdFilter: documentId,
			options: { includeFile: true },
		},
		offered: { Document_ID: { type: 'string', description: 'The ID of the document' } },
	},
	[extractOne]: {
		parameters: { resource: 'extraction', operation: 'extractOne', documentId },
		offered: { Document_ID: { type: 'string', description: 'The ID of the document' } },
	},
	[extractDocuments]: {
		parameters: {
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: fromModel('Document_IDs', 'IDs separated by commas'),
			options: { force: true },
		},
		offered: { Document_IDs: { type: 'string', description: 'IDs separated by commas' } },
	},
};

/** As the editor names a tool: by the action that was chosen. */
const named = (action: string) => `${action} in Document Extraction`;
const calledAs = (action: string) => named(action).replaceAll(' ', '_');

const call = (action: string, args: Record<string, unknown> = {}): Reply => ({
	tool: calledAs(action),
	arguments: args,
});

const agentName = 'Agent';

/** An agent with the node as each of its tools, started by hand, with a long question in its input. */
function agentFlow(typeVersion: number, settings: NodeSettings): WorkflowFile {
	const question = `What do the documents say? ${'long '.repeat(2000)}`;
	const flow = chain(agentName, [
		manualTrigger,
		{
			name: 'Question',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ question }) },
		},
		{
			name: agentName,
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion,
			parameters: { promptType: 'define', text: '={{ $json.question }}' },
		},
	]);
	const model = {
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.2,
		parameters: { model: { __rl: true, mode: 'id', value: 'stand-in' } },
		credentials: { openAiApi: { id: null, name: 'OpenAI' } },
	};
	const toolNodes = Object.entries(tools).map(([action, { parameters }]) => ({
		...extractionNode(
			{ descriptionType: 'auto', ...parameters },
			{ name: named(action), ...settings },
		),
		type: `${nodeType}Tool`,
	}));
	for (const [index, helper] of [model, ...toolNodes].entries()) {
		const type = helper === model ? 'ai_languageModel' : 'ai_tool';
		flow.nodes.push({ id: `helper ${index}`, position: [0, 0], ...helper });
		flow.connections[helper.name] = { [type]: [[{ node: agentName, type, index: 0 }]] };
	}
	return { ...flow, settings: { executionOrder: 'v1' } };
}

/** Lets the model make these calls, and then say what it read last. */
async function ask(stage: Stage, version: number, plan: Reply[], settings: NodeSettings = {}) {
	const model = await stage.keep(
		startModel(({ messages }) => plan.shift() ?? { text: messages.at(-1)?.content ?? '' }),
	);
	const credential = await stage.n8n.createCredential('openAiApi', 'OpenAI', model.credential);
	const execution = await stage.attempt(agentFlow(version, settings), [credential]);
	const { tools: offered = [] } = model.questions[0];
	const texts = (model.questions.at(-1)?.messages ?? []).flatMap(({ role, content }) =>
		role === 'tool' ? [content ?? ''] : [],
	);
	return { execution, offered, texts };
}

/** Reading it costs a model little. */
function assertShort(text: string, most: number) {
	assert.ok(text.length <= most, `${text.length} characters are too many:\n${text}`);
}

/** The one item says why the tool failed, and what to do. */
function assertFailed(text: string, id: string) {
	const [failure] = JSON.parse(text) as Array<Record<string, string>>;
	assert.deepEqual(Object.keys(failure), ['error', 'message', 'details']);
	assert.equal(failure.error, 'The service cannot find what was requested (404)');
	assert.ok(failure.message.startsWith('The service says: '), failure.message);
	const advice = "Check the IDs in this step. Check 'Service Workflow ID'";
	assert.ok(failure.message.includes(advice), failure.message);
	assert.ok(text.includes(`Document not found: ${id}.`), text);
	assertShort(text, 900);
}

// In version 2 the agent calls its tools itself; in version 3 it asks n8n to execute them.
const agents = [
	{ version: 2, onError: undefined },
	{ version: 3, onError: 'continueRegularOutput' },
] as const;

for (const { version, onError } of agents) {
	live(`agent ${version} does what the model wants, On Error: ${onError}`, async (stage) => {
		const { control } = stage.service;
		const { documentIds } = await control.seed({ documents: 3 });
		const [first, second, third] = documentIds;
		const plan = [
			call(results, { Document_ID: second }),
			call(results, { Document_ID: 'unknown' }),
			call(results, { Document_ID: '' }),
			call(extractDocuments, { Document_IDs: 'no-such-1' }),
			call(extractOne, { Document_ID: 'no-such-2' }),
			call(extractOne, { Document_ID: first }),
			call(extractDocuments, { Document_IDs: `${second}, ${third}` }),
		];

		const { execution, offered, texts } = await ask(stage, version, plan, { onError });

		// By a name, a description and fields of its own.
		for (const [action, { offered: fields }] of Object.entries(tools)) {
			const tool = offered.find((each) => each.function.name === calledAs(action))?.function;
			assert.equal(tool?.description, named(action));
			assert.deepEqual(tool.parameters.properties, fields);
			assert.deepEqual(tool.parameters.required ?? [], Object.keys(fields));
		}
		assert.equal(execution.items(agentName)[0].json.output, texts.at(-1));
		const [read, nothing, empty, bulk, single, started, startedTogether] = texts;
		const [result, ...others] = JSON.parse(read) as Array<Record<string, unknown>>;
		assert.deepEqual(
			[result.documentId, result['Document number'], result.Total, others],
			[second, 'SEED-2', 2.5, []],
		);
		assertShort(read, 1000);
		assert.deepEqual(JSON.parse(nothing), [{ message: 'Nothing was found' }]);
		assert.match(empty, /"error":"The expression in 'Document ID' gives nothing/);
		assert.deepEqual(
			(await control.requests('getExtractions')).map(({ query }) => query.document_id),
			[second, 'unknown'],
			'no list of everything is asked for',
		);
		assertFailed(bulk, 'no-such-1');
		assertFailed(single, 'no-such-2');
		const [one] = JSON.parse(started) as Array<Record<string, unknown>>;
		assert.deepEqual([one.documentId, one.started], [first, true]);
		assertShort(started, 300);
		const workflowId = stage.workflow.id;
		assert.deepEqual(
			JSON.parse(startedTogether),
			[second, third].map((documentId) => ({ documentId, workflowId, started: true })),
		);
		const { extractions } = await control.ledger();
		assert.deepEqual(extractions.at(-1)?.documentIds, [second, third]);
	});
}

live('a tool that is to stop the workflow stops it, with its message', async (stage) => {
	const plan = [call(extractOne, { Document_ID: 'unknown' })];
	const { execution } = await ask(stage, 3, plan, { onError: 'stopWorkflow' });

	assert.equal(execution.status, 'error');
	assert.equal(execution.errorMessage, 'The service cannot find what was requested (404)');
});
