import assert from 'node:assert/strict';
import { startLocalServer } from '../../../test/support/localServer.ts';
import { replacing } from '../../n8n/example.ts';
import { chain, manualTrigger } from '../../n8n/workflow.ts';
import { live, type Stage } from '../stage/live.ts';
import { assertSaid, sampleFile, sampleNames, valuesIn } from '../stage/samples.ts';

const [name] = sampleNames;

/** Publishes the example, and calls its tools as n8n's own MCP client does. */
async function openMcp(stage: Stage) {
	const { n8n } = stage;
	const asked: string[] = [];
	const files = await stage.keep(
		startLocalServer((request, response) => {
			const path = (request.url ?? '').slice(1);
			asked.push(path);
			if (path !== name) {
				response.writeHead(302, { location: `/${name}` }).end();
				return;
			}
			void sampleFile(name).then((bytes) => {
				response.writeHead(200, {
					'content-type': 'application/pdf',
					'content-disposition': `attachment; filename="${name}"`,
				});
				response.end(bytes);
			});
		}),
	);
	const bearer = async (token: string) =>
		await n8n.createCredential('httpBearerAuth', 'Bearer Auth account', { token });
	const right = await bearer('a-token-for-tests');
	const allowed = replacing('https://files.example.com/', `${files.url}/`);
	await stage.activate(
		await stage.importExample('mcp-server', { 'Allowed address?': allowed }, [right]),
	);

	const call = async (tool: string, parameters: object, credential = right) =>
		await stage.attempt(
			chain('MCP client', [
				manualTrigger,
				{
					name: 'Client',
					type: '@n8n/n8n-nodes-langchain.mcpClient',
					typeVersion: 1,
					parameters: {
						serverTransport: 'httpStreamable',
						endpointUrl: `${n8n.url}/mcp/documents`,
						authentication: 'bearerAuth',
						tool: { __rl: true, mode: 'id', value: tool },
						inputMode: 'json',
						jsonInput: JSON.stringify(parameters),
						options: {},
					},
					credentials: { httpBearerAuth: { id: null, name: '' } },
				},
			]),
			[credential],
		);
	const read = async (tool: string, parameters: object) => {
		const execution = await call(tool, parameters);
		return execution.items('Client').map(({ json }) => json);
	};
	return { url: files.url, asked, bearer, call, read };
}

live('a client reads the values of a document, with the token only', async (stage) => {
	const { call, read, bearer } = await openMcp(stage);
	const { control } = stage.service;
	const { documentIds } = await control.seed({ documents: 2 });
	const document = { Document_ID: documentIds[1] };

	const wrong = await call('Get_extracted_values', document, await bearer('another'));
	assert.equal(wrong.status, 'error');
	assert.deepEqual(await control.requests('getExtractions'), []);

	const text = JSON.stringify(await read('Get_extracted_values', document));
	assert.match(text, /SEED-2/);
	assert.doesNotMatch(text, /SEED-1/);
});

live('a client has a document extracted by an address that is allowed', async (stage) => {
	const { url, asked, read } = await openMcp(stage);
	const extract = async (address: string) =>
		await read('Extract_document_from_URL', { URL: address });
	const uploads = async () =>
		(await stage.service.control.ledger()).uploads.map(({ fileName }) => fileName);

	const elsewhere = url.replace('127.0.0.1', 'localhost');
	assert.match(
		JSON.stringify(await extract(`${elsewhere}/${name}`)),
		/This address is not allowed/,
	);
	assert.match(JSON.stringify(await extract(`${url}/moved`)), /302|redirect/i);
	assert.deepEqual([asked, await uploads()], [['moved'], []]);

	const [returned] = await extract(`${url}/${name}`);
	const texts = [...valuesIn(returned)].filter((value) => typeof value === 'string');
	assertSaid(
		name,
		texts.map((text): unknown => (/^[[{]/.test(text) ? JSON.parse(text) : text)),
	);
	assert.deepEqual(await uploads(), [name]);
});
