import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import { agentName, agentWith, extractionTool, fromModel } from '../../n8n/agent.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { type Model, type Reply, startModel } from '../../n8n/model.ts';
import type { NodeSettings, WorkflowNode } from '../../n8n/workflow.ts';
import type { Account } from '../../n8n/stage.ts';
import type { Stage } from '../stage.ts';

/** In version 2 the agent calls its tools itself; in version 3 it asks n8n to execute them. */
const agentVersions = [2, 3];

/** As the editor names a tool: by the action that was chosen. */
const named = (action: string) => `${action} in Document Extraction`;
const calledAs = (action: string) => named(action).replaceAll(' ', '_');

const results = 'Get many extraction results';
const extractOne = 'Extract one document uploaded earlier';
const extractDocuments = 'Extract documents uploaded earlier';
const documents = 'Get many documents';
const workflow = 'Get workflow with its columns';

const idFromModel = fromModel('Document_ID', 'The ID of the document');

const toolsWith = (settings: NodeSettings): WorkflowNode[] => [
	extractionTool(
		named(results),
		{ resource: 'extraction', operation: 'getAll', documentIdFilter: idFromModel },
		settings,
	),
	extractionTool(
		named(extractOne),
		{ resource: 'extraction', operation: 'extractOne', documentId: idFromModel },
		settings,
	),
	extractionTool(
		named(extractDocuments),
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: fromModel('Document_IDs', 'IDs separated by commas'),
			force: true,
		},
		settings,
	),
	extractionTool(
		named(documents),
		{
			resource: 'document',
			operation: 'getAll',
			limit: fromModel('Limit', 'How many documents', 'number'),
		},
		settings,
	),
	extractionTool(named(workflow), { resource: 'workflow', operation: 'get' }, settings),
];

const fieldsOffered: Record<string, Record<string, unknown>> = {
	[results]: { Document_ID: { type: 'string', description: 'The ID of the document' } },
	[extractOne]: { Document_ID: { type: 'string', description: 'The ID of the document' } },
	[extractDocuments]: {
		Document_IDs: { type: 'string', description: 'IDs separated by commas' },
	},
	[documents]: { Limit: { type: 'number', description: 'How many documents' } },
	[workflow]: {},
};

const call = (action: string, args: Record<string, unknown> = {}): Reply => ({
	tool: calledAs(action),
	arguments: args,
});

/** Whether a text fits into a few lines, so that reading it costs a model little. */
function assertShort(text: string, most: number) {
	assert.ok(text.length <= most, `${text.length} characters are too many:\n${text}`);
}

export default ({ n8n, account, run, attempt }: Stage) => {
	let model: Model;
	let modelCredential: SavedCredential;
	let used: Account;
	let documentIds: string[];
	/** What the model does next; then it says what it read last. */
	let plan: Reply[];

	before(async () => {
		model = await startModel(
			({ messages }) => plan.shift() ?? { text: messages.at(-1)?.content ?? '' },
		);
		modelCredential = await n8n.createCredential('openAiApi', 'OpenAI', model.credential);
	});
	after(async () => await model.stop());

	beforeEach(async () => {
		used = await account();
		({ documentIds } = await used.service.control.seed({ documents: 3 }));
	});

	for (const version of agentVersions) {
		const execute = async (calls: Reply[], settings: NodeSettings = {}, question?: string) => {
			plan = [...calls];
			model.questions.length = 0;
			const tools = toolsWith(settings);
			return await run(agentWith(tools, { version, modelCredential, question }), used);
		};

		/** What the model reads of its calls, one after the other, before it gives the agent's answer. */
		const answersTo = async (...parameters: Parameters<typeof execute>) => {
			const execution = await execute(...parameters);
			const answers = (model.questions.at(-1)?.messages ?? []).flatMap(({ role, content }) =>
				role === 'tool' ? [content ?? ''] : [],
			);
			assert.equal(execution.items(agentName)[0].json.output, answers.at(-1));
			return answers;
		};

		describe(`agent ${version}`, () => {
			test('is offered each operation by a name, a description and fields of its own', async () => {
				await execute([]);
				const [{ tools = [] }] = model.questions;
				assert.deepEqual(
					Object.fromEntries(
						tools.map(({ function: { name, description, parameters } }) => [
							name,
							{ description, fields: parameters.properties, required: parameters.required ?? [] },
						]),
					),
					Object.fromEntries(
						Object.entries(fieldsOffered).map(([action, fields]) => [
							calledAs(action),
							{ description: named(action), fields, required: Object.keys(fields) },
						]),
					),
				);
			});

			test('reads the values of the document that the model chose, and nothing else', async () => {
				const [text] = await answersTo([call(results, { Document_ID: documentIds[1] })]);

				const [request] = await used.service.control.requests('getExtractions');
				assert.equal(request.query.document_id, documentIds[1]);
				const [result, ...others] = JSON.parse(text) as Array<Record<string, unknown>>;
				assert.deepEqual(others, []);
				assert.equal(result.documentId, documentIds[1]);
				assert.equal(result['Document number'], 'SEED-2');
				assert.equal(result.Total, 2.5);
				assertShort(text, 1000);
			});

			test('reads only the columns that are selected, and the ID', async () => {
				const [documentId] = documentIds;
				plan = [call(results, { Document_ID: documentId })];
				model.questions.length = 0;
				const selecting = extractionTool(named(results), {
					resource: 'extraction',
					operation: 'getAll',
					documentIdFilter: idFromModel,
					output: 'selectedFields',
					selectedFields: ['Total'],
				});

				await run(agentWith([selecting], { version, modelCredential }), used);

				const read = model.questions.at(-1)?.messages.findLast(({ role }) => role === 'tool');
				assert.deepEqual(JSON.parse(read?.content ?? ''), [{ Total: 1.5, documentId }]);
			});

			test('reads the rows of a table one by one, and why a document has none for the books', async () => {
				const [documentId] = documentIds;
				const read = async (options: INodeParameters) => {
					plan = [call(results, { Document_ID: documentId })];
					model.questions.length = 0;
					const parameters = {
						resource: 'extraction',
						operation: 'getAll',
						documentIdFilter: idFromModel,
						options,
					};
					const tool = extractionTool(named(results), parameters);
					await run(agentWith([tool], { version, modelCredential }), used);
					const answer = model.questions.at(-1)?.messages.findLast(({ role }) => role === 'tool');
					return JSON.parse(answer?.content ?? '') as Array<Record<string, unknown>>;
				};

				const rows = await read({ rowsOf: { __rl: true, mode: 'name', value: 'Line items' } });
				const [doubtful] = await read({ requiredColumns: 'Approved by' });

				assert.deepEqual(
					rows.map(({ row, Total, Quantity }) => [row, Total, Quantity]),
					[[1, 1.5, '1']],
				);
				assert.equal(doubtful.error, "No value for 'Approved by'");
				assert.equal(doubtful.Total, 1.5);
			});

			test('starts the extraction of the one document that the model chose', async () => {
				const [documentId] = documentIds;
				const [text] = await answersTo([call(extractOne, { Document_ID: documentId })]);

				const requests = await used.service.control.requests('extractOne');
				assert.deepEqual(
					requests.map(({ path }) => path.split('/').at(-2)),
					[documentId],
				);
				const [{ answer }] = requests;
				assert.deepEqual(JSON.parse(text), [{ documentId, started: true, response: answer }]);
				assertShort(text, 300);
			});

			test('starts one extraction of all documents that the model chose', async () => {
				const chosen = documentIds.slice(1);
				const [text] = await answersTo([
					call(extractDocuments, { Document_IDs: chosen.join(', ') }),
				]);

				const { extractions } = await used.service.control.ledger();
				assert.deepEqual(
					extractions.map((extraction) => [extraction.kind, extraction.documentIds]),
					[['bulk', chosen]],
				);
				const { id: workflowId } = used.service.account.environments.test.workflows.main;
				assert.deepEqual(
					JSON.parse(text),
					chosen.map((documentId) => ({ documentId, workflowId, started: true })),
				);
				assertShort(text, 400);
			});

			test('lists as many documents as the model wants', async () => {
				const [text] = await answersTo([call(documents, { Limit: 2 })]);

				assert.deepEqual(
					(JSON.parse(text) as Array<{ document_id: string }>).map((listed) => listed.document_id),
					documentIds.slice(0, 2),
				);
				assertShort(text, 800);
			});

			test('reads the workflow once, with its columns', async () => {
				const [text] = await answersTo([call(workflow)]);

				const requests = await used.service.control.requests('getWorkflow');
				assert.deepEqual(JSON.parse(text), [requests[0].answer]);
				assert.equal(requests.length, 1);
				for (const { name } of used.service.account.environments.test.workflows.main.columns) {
					assert.ok(text.includes(JSON.stringify(name)), `the column ${name} is missing`);
				}
				assertShort(text, 2500);
			});

			test('says that a document has no results', async () => {
				const [text] = await answersTo([call(results, { Document_ID: 'unknown' })]);
				assert.deepEqual(JSON.parse(text), [{ message: 'Nothing was found' }]);
			});

			for (const onError of [undefined, 'continueRegularOutput'] as const) {
				test(`reads why a tool failed and goes on, On Error: ${onError ?? 'not set'}`, async () => {
					const [documentId] = documentIds;
					const [bulk, single, right] = await answersTo(
						[
							call(extractDocuments, { Document_IDs: 'no-such-1' }),
							call(extractOne, { Document_ID: 'no-such-2' }),
							call(extractOne, { Document_ID: documentId }),
						],
						{ onError },
						`Extract again what this email speaks of: ${'long '.repeat(2000)}`,
					);

					for (const text of [bulk, single]) {
						const [failure] = JSON.parse(text) as Array<Record<string, string>>;
						assert.deepEqual(Object.keys(failure), ['error', 'message', 'details']);
						assert.equal(failure.error, 'The service cannot find what was requested (404)');
						assert.match(failure.message, /^The service says: .+ Check the document's ID: /);
						assertShort(text, 500);
					}
					assert.match(bulk, /Document not found: no-such-1\./);
					assert.match(single, /Document not found\./);
					assert.match(right, new RegExp(`"documentId":"${documentId}"`));
					const requests = await used.service.control.requests('extractOne');
					assert.deepEqual(
						requests.map(({ path, status }) => [path.split('/').at(-2), status]),
						[
							['no-such-2', 404],
							[documentId, 200],
						],
					);
				});
			}

			test('asks for no list of everything when the model leaves the ID empty', async () => {
				const [text] = await answersTo([call(results, { Document_ID: '' })]);

				assert.match(text, /"error":"The expression in 'Document ID' gives nothing/);
				assert.deepEqual(await used.service.control.requests('getExtractions'), []);
			});
		});
	}

	test('a tool that is to stop the workflow stops it, with the message of the node', async () => {
		plan = [call(extractOne, { Document_ID: 'unknown' })];
		const tools = toolsWith({ onError: 'stopWorkflow' });
		const execution = await attempt(agentWith(tools, { version: 3, modelCredential }), used);

		assert.equal(execution.status, 'error');
		assert.equal(execution.errorMessage, 'The service cannot find what was requested (404)');
	});
};
