import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startLocalServer } from '../../../test/support/localServer.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { readExample } from '../../n8n/example.ts';
import { succeeded } from '../../n8n/execution.ts';
import { chain, manualTrigger } from '../../n8n/workflow.ts';
import { valuesIn } from '../../demo/findings.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertSaid } from '../stated.ts';

const example = 'mcp-server';
const condition = 'Allowed address?';

/** The example's condition with the address of the test's own server in it. */
async function allowing(url: string) {
	const { nodes } = await readExample(example);
	const parameters = nodes.find(({ name }) => name === condition)?.parameters;
	const text = JSON.stringify(parameters).replace('https://files.example.com/', `${url}/`);
	return { [condition]: JSON.parse(text) as NonNullable<typeof parameters> };
}

export default ({ n8n, service, importExample }: Stage) => {
	let files: Awaited<ReturnType<typeof startLocalServer>>;
	let asked: string[];
	let bearer: SavedCredential;

	before(async () => {
		asked = [];
		files = await startLocalServer((request, response) => {
			const name = (request.url ?? '').slice(1);
			asked.push(name);
			if (!sampleNames.includes(name)) {
				response.writeHead(302, { location: `/${sampleNames[0]}` }).end();
				return;
			}
			void sampleFile(name).then((bytes) => {
				response.writeHead(200, {
					'content-type': 'application/pdf',
					'content-disposition': `attachment; filename="${name}"`,
				});
				response.end(bytes);
			});
		});
		bearer = await n8n.createCredential('httpBearerAuth', 'Bearer Auth account', {
			token: 'a-token-for-tests',
		});
		await n8n.activate(await importExample(example, await allowing(files.url), [bearer]));
	});
	after(async () => await files.stop());

	/** What an MCP client reads of a tool: here n8n's own client, in a workflow of its own. */
	const call = async (tool: string, parameters: object, credential = bearer) => {
		const workflow = chain('MCP client', [
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
		]);
		const execution = await n8n.runManually(await n8n.importWorkflow(workflow, [credential]));
		return { execution, text: JSON.stringify(execution.items('Client').map(({ json }) => json)) };
	};

	test('a client reads the values of a document', async () => {
		const { documentIds } = await service.control.seed({ documents: 2 });

		const { execution, text } = await call('Get_extracted_values', {
			Document_ID: documentIds[1],
		});

		succeeded(execution);
		assert.match(text, /SEED-2/);
		assert.doesNotMatch(text, /SEED-1/);
	});

	test('a client has a document extracted by its address', async () => {
		const [name] = sampleNames;

		const { execution } = await call('Extract_document_from_URL', { URL: `${files.url}/${name}` });

		const values = [...valuesIn(succeeded(execution).items('Client')[0].json)].flatMap((value) => {
			if (typeof value !== 'string' || !/^[[{]/.test(value)) return [value];
			return [...valuesIn(JSON.parse(value))];
		});
		await assertSaid(service, name, values);
		const { uploads } = await service.control.ledger();
		assert.deepEqual(
			uploads.map(({ fileName }) => fileName),
			[name],
		);
	});

	test('no other address is fetched, and no redirect followed', async () => {
		asked.length = 0;
		const elsewhere = files.url.replace('127.0.0.1', 'localhost');

		const refused = await call('Extract_document_from_URL', {
			URL: `${elsewhere}/${sampleNames[0]}`,
		});
		const redirected = await call('Extract_document_from_URL', { URL: `${files.url}/moved` });

		assert.match(refused.text, /This address is not allowed/);
		assert.deepEqual(asked, ['moved']);
		assert.match(redirected.text, /302|redirect/i);
		const { uploads } = await service.control.ledger();
		assert.deepEqual(uploads, []);
	});

	test('nobody is served without the token', async () => {
		const wrong = await n8n.createCredential('httpBearerAuth', 'Wrong', { token: 'another' });

		const { execution } = await call('Get_extracted_values', { Document_ID: 'x' }, wrong);

		assert.equal(execution.status, 'error');
		assert.deepEqual(await service.control.requests('getExtractions'), []);
	});
};
