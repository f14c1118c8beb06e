import {
	NodeApiError,
	NodeConnectionTypes,
	type IAuthenticate,
	type ICredentialTestRequest,
	type ICredentialType,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	type JsonObject,
} from 'n8n-workflow';
import { binaryItem, readBinary } from './support/binary';
import { testCredential } from './support/credentialTest';
import { startLocalServer } from './support/localServer';
import { logOf } from './support/log';
import { NodeEngine } from './support/nodeEngine';

class ProbeApi implements ICredentialType {
	name = 'probeApi';

	displayName = 'Probe API';

	properties: INodeProperties[] = [
		{ displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
		{ displayName: 'Path', name: 'path', type: 'string', default: '/echo' },
		{ displayName: 'API Key', name: 'apiKey', type: 'string', default: 'default key' },
		{ displayName: 'Show Details', name: 'showDetails', type: 'boolean', default: false },
		{
			displayName: 'Detail',
			name: 'detail',
			type: 'string',
			default: 'default detail',
			displayOptions: { show: { showDetails: [true] } },
		},
	];

	test: ICredentialTestRequest = {
		request: { baseURL: '={{ $credentials.baseUrl }}', url: '={{ $credentials.path }}' },
		rules: [
			{ type: 'responseCode', properties: { value: 500, message: 'Out of order' } },
			{
				type: 'responseSuccessBody',
				properties: { key: 'url', value: '/elsewhere', message: 'Not this server' },
			},
		] as ICredentialTestRequest['rules'],
	};

	authenticate: IAuthenticate = async ({ apiKey }, options) => {
		if (apiKey === 'refused') throw new Error('Not with this key');
		return {
			...options,
			headers: { ...options.headers, authorization: `Bearer ${String(apiKey)}` },
		};
	};
}

/** Asks the server for each item, hands on its files, and makes a file of each answer. */
class Probe implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Probe',
		name: 'probe',
		group: ['transform'],
		version: 1,
		description: 'Asks a server',
		defaults: { name: 'Probe' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'probeApi', required: true }],
		properties: [{ displayName: 'Path', name: 'path', type: 'string', default: '/echo' }],
	};

	methods = {
		listSearch: {
			async answers(this: ILoadOptionsFunctions, filter?: string) {
				const { baseUrl } = await this.getCredentials('probeApi');
				const path = String(this.getCurrentNodeParameter('path'));
				const answer = await this.helpers.httpRequestWithAuthentication.call(this, 'probeApi', {
					url: `${String(baseUrl)}${path}`,
				});
				return { results: [{ name: String(filter), value: JSON.stringify(answer) }] };
			},
		},
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const output: INodeExecutionData[] = [];
		for (const [itemIndex, { binary }] of this.getInputData().entries()) {
			const pairedItem = { item: itemIndex };
			try {
				const { baseUrl } = await this.getCredentials('probeApi', itemIndex);
				const path = this.getNodeParameter('path', itemIndex) as string;
				this.logger.info('Asking', { path });
				const json = await this.helpers.httpRequestWithAuthentication.call(this, 'probeApi', {
					url: `${String(baseUrl)}${path}`,
				});
				const answer = await this.helpers.prepareBinaryData(
					Buffer.from(JSON.stringify(json)),
					'answer.json',
					'application/json',
				);
				output.push({ json, binary: { ...binary, answer }, pairedItem });
			} catch (error) {
				if (!this.continueOnFail()) {
					throw new NodeApiError(this.getNode(), error as JsonObject, { itemIndex });
				}
				output.push({ json: { error: (error as Error).message }, binary, pairedItem });
			}
		}
		this.addExecutionHints({ message: `Asked ${output.length} times`, location: 'outputPane' });
		return [output];
	}
}

const engine = new NodeEngine(new Probe(), new ProbeApi());
let server: Awaited<ReturnType<typeof startLocalServer>>;
let credential: { baseUrl: string; apiKey: string };

beforeAll(async () => {
	server = await startLocalServer((request, response) => {
		if (request.url === '/silent') return;
		response.statusCode = { '/broken': 500, '/missing': 404 }[String(request.url)] ?? 200;
		response.setHeader('content-type', 'application/json');
		response.end(
			JSON.stringify({ url: request.url, authorization: request.headers.authorization }),
		);
	});
	credential = { baseUrl: server.url, apiKey: 'the key' };
});

afterAll(async () => {
	await server.stop();
});

const paths = (...names: string[]): INodeExecutionData[] =>
	names.map((path) => ({ json: { path } }));

const pathOfItem = { path: '={{ $json.path }}' };

describe('a run of the node', () => {
	it('resolves parameters by item, signs requests and pairs the output', async () => {
		const run = await engine.runNode({
			credential,
			parameters: pathOfItem,
			items: paths('/one', '/two'),
		});

		expect(run.error).toBeUndefined();
		expect(run.status).toBe('success');
		expect(run.output.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual([
			{ json: { url: '/one', authorization: 'Bearer the key' }, pairedItem: { item: 0 } },
			{ json: { url: '/two', authorization: 'Bearer the key' }, pairedItem: { item: 1 } },
		]);
	});

	it('gives the node its default parameters and one empty item', async () => {
		const { output } = await engine.runNode({ credential });

		expect(output.map(({ json }) => json.url)).toEqual(['/echo']);
	});

	it("leaves the test's own items as they were", async () => {
		const items = paths('/one');

		await engine.runNode({ credential, parameters: pathOfItem, items });

		expect(items).toEqual([{ json: { path: '/one' } }]);
	});

	it('collects the hints', async () => {
		const { hints } = await engine.runNode({ credential, items: paths('/one', '/two') });

		expect(hints).toEqual([{ message: 'Asked 2 times', location: 'outputPane' }]);
	});

	it('reports the error of a node that stops', async () => {
		const run = await engine.runNode({
			credential,
			parameters: pathOfItem,
			items: paths('/one', '/broken'),
		});

		expect(run.error).toMatchObject({
			name: 'NodeApiError',
			httpCode: '500',
		});
		expect(run.status).toBe('error');
		expect(run.output).toEqual([]);
	});

	it('says so if the node has no credential', async () => {
		const { error } = await engine.runNode();

		expect(error?.message).toContain('does not have any credentials');
	});
});

describe('a failed item', () => {
	const failing = async (onError: 'continueRegularOutput' | 'continueErrorOutput') =>
		await engine.runNode({
			credential,
			onError,
			parameters: pathOfItem,
			items: [
				await binaryItem({ json: { path: '/broken' }, files: { data: { data: 'kept' } } }),
				{ json: { path: '/one' } },
			],
		});

	it('stays in its place with Continue', async () => {
		const run = await failing('continueRegularOutput');

		expect(run.error).toBeUndefined();
		expect(run.errorOutput).toEqual([]);
		expect(run.output).toMatchObject([
			{ json: { error: expect.stringContaining('not able to process') }, pairedItem: { item: 0 } },
			{ json: { url: '/one' }, pairedItem: { item: 1 } },
		]);
	});

	it('goes to the error output with its input and its files', async () => {
		const run = await failing('continueErrorOutput');

		expect(run.output).toMatchObject([{ json: { url: '/one' }, pairedItem: { item: 1 } }]);
		expect(run.errorOutput).toMatchObject([
			{
				json: { path: '/broken', error: expect.stringContaining('not able to process') },
				pairedItem: { item: 0 },
			},
		]);
		expect(String(await readBinary(run.errorOutput[0], 'data'))).toBe('kept');
	});

	it('continues in workflows from before the error output, too', async () => {
		const run = await engine.runNode({
			credential,
			continueOnFail: true,
			parameters: { path: '/broken' },
		});

		expect(run.output).toMatchObject([
			{ json: { error: expect.stringContaining('not able to process') } },
		]);
	});
});

describe('Stop', () => {
	it('cancels the request in flight and ends the execution', async () => {
		const pressed = Date.now() + 200;

		const run = await engine.runNode({
			credential,
			parameters: { path: '/silent' },
			signal: AbortSignal.timeout(200),
		});

		expect(run.status).toBe('canceled');
		expect(run.output).toEqual([]);
		// No answer ever comes.
		expect(Date.now() - pressed).toBeLessThan(60_000);
	});

	it('is thrown as an error, as outside of jest', () => {
		const stop = AbortSignal.abort();

		expect(() => stop.throwIfAborted()).toThrow(Error);
		expect(stop.reason instanceof Error).toBe(true);
		expect(stop.reason instanceof TypeError).toBe(false);
	});

	it('reaches a part of the node that is called alone', () => {
		const stop = new AbortController();
		const context = engine.executeContext({ credential, signal: stop.signal });

		stop.abort();

		expect(context.getExecutionCancelSignal()?.aborted).toBe(true);
	});
});

describe.each([
	{ mode: 'memory', id: undefined },
	{ mode: 'filesystem', id: expect.stringMatching(/^filesystem-v2:/) },
] as const)('files with binary data in mode $mode', ({ mode, id }) => {
	it('come in as n8n hands them on', async () => {
		const item = await binaryItem({
			json: { path: '/one' },
			files: {
				attachment_0: { data: 'text', fileName: 'a.txt', mimeType: 'text/plain' },
				attachment_1: { data: Buffer.from([0, 255]) },
			},
			mode,
		});

		expect(item.json).toEqual({ path: '/one' });
		expect(item.binary?.attachment_0).toMatchObject({
			fileName: 'a.txt',
			fileExtension: 'txt',
			fileType: 'text',
			mimeType: 'text/plain',
			bytes: 4,
		});
		expect(item.binary?.attachment_0.id).toEqual(id);
		expect(String(await readBinary(item, 'attachment_0'))).toBe('text');
		expect(await readBinary(item, 'attachment_1')).toEqual(Buffer.from([0, 255]));
	});

	it('can be read by the node', async () => {
		const item = await binaryItem({ files: { data: { data: 'text' } }, mode });
		const context = engine.executeContext({ credential, items: [item] });

		expect(context.helpers.assertBinaryData(0, 'data').id).toEqual(id);
		expect(String(await context.helpers.getBinaryDataBuffer(0, 'data'))).toBe('text');
	});

	it('that the node makes are kept in the same mode', async () => {
		const { output } = await engine.runNode({ credential, binaryMode: mode });

		expect(output[0].binary?.answer).toMatchObject({ fileName: 'answer.json' });
		expect(output[0].binary?.answer.id).toEqual(id);
		expect(JSON.parse(String(await readBinary(output[0], 'answer')))).toEqual(output[0].json);
	});
});

describe('the credential', () => {
	it('has its defaults, and lacks what its display options hide', async () => {
		const context = engine.executeContext({ credential: { baseUrl: 'x', detail: 'hidden' } });

		expect(await context.getCredentials('probeApi', 0)).toEqual({
			baseUrl: 'x',
			path: '/echo',
			apiKey: 'default key',
			showDetails: false,
		});
	});

	it('resolves expressions by item', async () => {
		const context = engine.executeContext({
			credential: { ...credential, apiKey: '={{ $json.key }}' },
			items: [{ json: { key: 'first' } }, { json: { key: 'second' } }],
		});

		expect((await context.getCredentials('probeApi', 1)).apiKey).toBe('second');
	});

	it('resolves expressions for dropdowns, which have no items', async () => {
		const context = engine.loadOptionsContext({
			credential: { ...credential, apiKey: '={{ 1 + 1 }}' },
		});

		expect((await context.getCredentials('probeApi')).apiKey).toBe(2);
	});

	it('cannot be used under another name', async () => {
		const context = engine.executeContext({ credential });

		await expect(context.getCredentials('otherApi', 0)).rejects.toThrow('otherApi');
	});
});

describe('the credential test', () => {
	it('passes if the server answers as it should', async () => {
		const result = await testCredential(new ProbeApi(), credential);

		expect(result).toEqual({ status: 'OK', message: 'Connection successful!' });
	});

	it.each<{ problem: string; change: Record<string, string>; message: string }>([
		{ problem: 'a status with a rule', change: { path: '/broken' }, message: 'Out of order' },
		{ problem: 'a status without one', change: { path: '/missing' }, message: 'Not Found' },
		{
			problem: 'an answer with a rule',
			change: { path: '/elsewhere' },
			message: 'Not this server',
		},
		{ problem: 'a refused key', change: { apiKey: 'refused' }, message: 'Not with this key' },
	])('says what is wrong with $problem', async ({ change, message }) => {
		const result = await testCredential(new ProbeApi(), { ...credential, ...change });

		expect(result).toEqual({ status: 'Error', message });
	});

	it('says what is wrong with no server', async () => {
		const gone = await startLocalServer(() => {});
		await gone.stop();

		const result = await testCredential(new ProbeApi(), { ...credential, baseUrl: gone.url });

		expect(result).toEqual({ status: 'Error', message: 'ECONNREFUSED' });
	});
});

describe('a dropdown', () => {
	it("has the node's parameters and the credential", async () => {
		const context = engine.loadOptionsContext({ credential, parameters: { path: '/list' } });

		const { results } = await new Probe().methods.listSearch.answers.call(context, 'filter');

		expect(results[0].name).toBe('filter');
		expect(JSON.parse(results[0].value)).toEqual({
			url: '/list',
			authorization: 'Bearer the key',
		});
	});
});

describe('the log', () => {
	it('has the lines of the node and of n8n itself, for the action and no other', async () => {
		await engine.runNode({ credential, parameters: { path: '/before' } });

		const log = await logOf(
			async () => await engine.runNode({ credential, parameters: { path: '/during' } }),
		);

		expect(log).toContainEqual({
			level: 'info',
			message: 'Asking',
			metadata: expect.objectContaining({ path: '/during' }),
		});
		expect(log.map(({ message }) => message)).toContain('Running node "Probe" started');
		expect(JSON.stringify(log)).not.toContain('/before');
	});
});
