import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { valuesIn } from '../../demo/findings.ts';
import { type Model, startModel } from '../../n8n/model.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { readExample } from '../../n8n/example.ts';
import { sampleNames, type Stage } from '../stage.ts';
import { assertSaid } from '../stated.ts';

const example = 'ask-about-documents';
const trigger = 'When a question comes';

/** Like a model, it takes the ID from the question, and knows only what the tool returns. */
const startReader = async () =>
	await startModel(({ messages, tools = [] }) => {
		const returned = messages.findLast(({ role }) => role === 'tool')?.content;
		if (returned) return { text: returned };
		const [{ function: tool }] = tools;
		const [parameter] = Object.keys(tool.parameters.properties);
		const question = messages.findLast(({ role }) => role === 'user')?.content ?? '';
		const documentId = /document (\S+)\?/.exec(question)?.[1];
		return { tool: tool.name, arguments: { [parameter]: documentId } };
	});

async function chatPath() {
	const { nodes } = await readExample(example);
	return `${nodes.find(({ name }) => name === trigger)?.webhookId}/chat`;
}

export default ({ n8n, service, importExample, prepare }: Stage) => {
	let model: Model;

	before(async () => {
		model = await startReader();
		const credential = await n8n.createCredential('openAiApi', 'OpenAI', model.credential);
		await n8n.activate(await importExample(example, { [trigger]: { public: true } }, [credential]));
	});
	after(async () => await model.stop());

	test('the agent answers with the values of the document that it is asked about', async () => {
		const extracted = await prepare(
			{ resource: 'extraction', operation: 'extractFromFiles' },
			'*.pdf',
		);
		const [asked] = sampleNames;
		const { json } = extracted
			.items(extractionNodeName)
			.find((item) => item.json.fileName === asked)!;

		const { output } = (await n8n.callWebhook(await chatPath(), {
			action: 'sendMessage',
			sessionId: 'one',
			chatInput: `What is the total of document ${String(json.documentId)}?`,
		})) as { output: string };

		await assertSaid(service, asked, [...valuesIn(JSON.parse(output))]);
		const read = (await service.control.requests('getExtractions')).at(-1);
		assert.equal(read?.query.document_id, json.documentId);
	});

	test('the model learns from the tool what it returns, and that it wants an ID', () => {
		const tools = model.questions.flatMap((question) => question.tools ?? []);
		for (const { function: tool } of tools) {
			assert.match(tool.description, /extracted from one document/);
			assert.deepEqual(
				Object.values(tool.parameters.properties).map(({ description }) => description),
				['The ID of the document'],
			);
		}
		assert.ok(tools.length > 0);
	});
};
