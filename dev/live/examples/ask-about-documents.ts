import assert from 'node:assert/strict';
import { readExample } from '../../n8n/example.ts';
import { startModel } from '../../n8n/model.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';
import { assertSaid, sampleNames } from '../stage/samples.ts';

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

live('the agent answers with the values of the document that it is asked about', async (stage) => {
	const { n8n, service, importExample, prepare } = stage;
	const model = await stage.keep(startReader());
	const credential = await n8n.createCredential('openAiApi', 'OpenAI', model.credential);
	await stage.activate(await importExample(example, { [trigger]: { public: true } }, [credential]));
	const extracted = await prepare(
		{ resource: 'extraction', operation: 'extractFromFiles' },
		'*.pdf',
	);
	const [asked] = sampleNames;
	const items = extracted.items(extractionNodeName);
	const documentId = items.find(({ json }) => json.fileName === asked)?.json.documentId;

	const { nodes } = await readExample(example);
	const path = nodes.find(({ name }) => name === trigger)?.webhookId;
	const { output } = (await n8n.callWebhook(`${path}/chat`, {
		action: 'sendMessage',
		sessionId: 'one',
		chatInput: `What is the total of document ${String(documentId)}?`,
	})) as { output: string };

	assertSaid(asked, JSON.parse(output));
	const read = (await service.control.requests('getExtractions')).at(-1);
	assert.equal(read?.query.document_id, documentId);
	// What the model learns of the tool.
	const [{ function: tool }] = model.questions[0].tools ?? [];
	assert.match(tool.description, /extracted from one document/);
	const parameters = Object.values(tool.parameters.properties);
	assert.deepEqual(
		parameters.map(({ description }) => description),
		['The ID of the document'],
	);
});
