import { NodeHelpers, type IHttpRequestOptions, type INodeParameters } from 'n8n-workflow';
import { DocumentExtractionApi } from '../credentials/DocumentExtractionApi.credentials';
import { runNode, testDocumentExtractionApi } from './support/n8n';
import { PROFILES } from './support/profiles';
import { startService } from './support/service';
import { useService } from './support/useService';

const credential = new DocumentExtractionApi();

type Request = Partial<IHttpRequestOptions> & { uri?: string };

const authenticate = async (data: object, request: Request) => {
	if (typeof credential.authenticate !== 'function') throw new Error('not a function');
	return await credential.authenticate(
		{
			environment: 'test',
			baseUrl: 'https://api.example.com',
			apiKey: 'abc_test_0123',
			...data,
		},
		request as IHttpRequestOptions,
	);
};

const TARGET = { url: 'https://api.example.com/api/v1/workflows' };

describe('the key goes along', () => {
	it('with a request to the Base URL, which stays as it was otherwise', async () => {
		const request = { ...TARGET, headers: { Accept: 'application/json' }, qs: { page: 2 } };

		const signed = await authenticate({}, request);

		expect(signed).toEqual({
			...TARGET,
			qs: { page: 2 },
			headers: { Accept: 'application/json', Authorization: 'Bearer abc_test_0123' },
			sendCredentialsOnCrossOriginRedirect: false,
		});
		expect(request.headers).toEqual({ Accept: 'application/json' });
	});

	it.each<[string, Request]>([
		['https://api.example.com', { uri: 'https://api.example.com/api/v1/workflows' }],
		['https://api.example.com', { url: 'HTTPS://API.Example.com/elsewhere?a=b' }],
		['https://api.example.com', { url: 'https://api.example.com:443/' }],
		['https://api.example.com', { baseURL: 'https://api.example.com/api/v1', url: '/workflows' }],
		['https://api.example.com/', TARGET],
		[' https://api.example.com/api/v1/ ', TARGET],
		['https://api.example.com/service', { url: 'https://api.example.com/service/api/v1' }],
		['http://localhost:5678', { url: 'http://localhost:5678/api/v1' }],
		['http://127.0.0.1:5678', { url: 'http://127.0.0.1:5678/api/v1' }],
		['http://[::1]:5678', { url: 'http://[::1]:5678/api/v1' }],
	])('with Base URL %j and %j', async (baseUrl, request) => {
		const { headers } = await authenticate({ baseUrl }, request);

		expect(headers).toEqual({ Authorization: 'Bearer abc_test_0123' });
	});

	it.each([
		['test', 'abc_test_0123'],
		['live', 'abc_live_0123'],
		['test', ' olive_test_0123 '],
		['live', 'contest_live_0123'],
		['test', 'abc_eu_test_0_live'],
	])('in the %s environment when it is %s', async (environment, apiKey) => {
		const { headers } = await authenticate({ environment, apiKey }, TARGET);

		expect(headers).toEqual({ Authorization: `Bearer ${apiKey.trim()}` });
	});
});

describe('the key is kept back', () => {
	it.each([
		'http://api.example.com',
		'http://10.0.0.1',
		'http://localhost.example.com',
		'http://127.0.0.1.example.com',
		'http://localhost@example.com',
	])('from an address that is not encrypted: %s', async (baseUrl) => {
		await expect(authenticate({ baseUrl }, { url: `${baseUrl}/api/v1` })).rejects.toThrow(
			/^The credential's 'Base URL' (must start with https:\/\/|is not a plain address)/,
		);
	});

	it.each([
		'',
		'api.example.com',
		'ftp://api.example.com',
		'javascript:alert(1)',
		'https://',
		'https://user:word@api.example.com',
		'https://api.example.com/?key=1',
		'https://api.example.com/#top',
	])('from an address that is none: %j', async (baseUrl) => {
		await expect(authenticate({ baseUrl }, TARGET)).rejects.toThrow(
			/^The credential's 'Base URL' is (empty|not a plain address)/,
		);
	});

	it.each([
		['test', 'abc_live_0123', 'is a live key, but its'],
		['live', 'abc_test_0123', 'is a test key, but its'],
		['test', 'abc_0123', 'is neither a test key'],
		['live', 'test_live', 'is neither a test key'],
		['test', '', 'is empty'],
		['test', 'abc_test_0\r\nX-Injected: yes', 'contains a space, a line break'],
	])('in the %s environment when it is %j', async (environment, apiKey, reason) => {
		await expect(authenticate({ environment, apiKey }, TARGET)).rejects.toThrow(
			`The credential's 'API Key' ${reason}`,
		);
	});

	it.each<Request>([
		{ url: 'https://evil.example/api/v1' },
		{ uri: 'https://evil.example/api/v1' },
		{ url: '//evil.example/api/v1' },
		{ url: '//evil.example/', baseURL: 'https://api.example.com' },
		{ url: 'https://api.example.com@evil.example/' },
		{ url: 'https://api.example.com:pass@evil.example/' },
		{ url: 'https://api.example.com.evil.example/' },
		{ url: 'https://evil.example\\@api.example.com/' },
		{ url: 'https://api.example.com:8443/' },
		{ url: 'http://api.example.com/' },
		{ url: 'https://evil.example/', baseURL: 'https://api.example.com' },
		{ url: '.evil.example/', baseURL: 'https://api.example.com' },
		{ url: '@evil.example/', baseURL: 'https://api.example.com' },
		{ url: '/workflows', baseURL: 'https://evil.example' },
		{ url: ' https://evil.example/' },
		{ url: 'ht\ntps://evil.example/', baseURL: 'https://api.example.com' },
		{ url: '/workflows' },
		{ url: '' },
		{},
	])('from another origin: %j', async (request) => {
		await expect(authenticate({}, request)).rejects.toThrow(
			"This credential only works for https://api.example.com, the address in its 'Base URL'. The request was not sent",
		);
	});
});

it('a newcomer sees four fields, besides the switch for the API Details', () => {
	const properties = credential.properties.filter(({ type }) => type !== 'hidden');
	const shown = (values: INodeParameters) =>
		properties
			.filter((property) => NodeHelpers.displayParameter(values, property, null, null))
			.map(({ displayName }) => displayName);

	const fields = ['Environment', 'Base URL', 'API Key', 'Workflow ID', 'Set API Details'];
	expect(shown({ showApiDetails: false })).toEqual(fields);
	expect(shown({ showApiDetails: true })).toEqual(expect.arrayContaining(fields));
	expect(shown({ showApiDetails: true })).toHaveLength(properties.length);
});

describe.each(PROFILES)('the test button, as %s', (profile) => {
	const used = useService({ profile });

	const press = async (overrides: object = {}) =>
		await testDocumentExtractionApi(used.service.credential({ ...overrides }));

	it('reads one extraction, and says that the connection works', async () => {
		expect(await press()).toEqual({ status: 'OK', message: 'Connection successful!' });

		const request = {
			method: 'GET',
			path: `/api/v1/workflows/${used.client.workflow.id}/extractions`,
			query: { limit: '1' },
			headers: { authorization: `Bearer ${used.client.environment.keys.full}` },
		};
		// The node's own look, which finds words, and n8n's.
		const requests = await used.service.control.requests();
		expect(requests).toMatchObject([request, request]);
		expect(Object.keys(requests[1].headers)).not.toContain('x-credential-test');
	});

	it('is content with a key that may only read', async () => {
		const { readOnly } = used.client.environment.keys;

		expect(await press({ apiKey: readOnly })).toMatchObject({ status: 'OK' });
	});

	it('works for the live environment', async () => {
		const { keys, workflows } = used.service.account.environments.live;

		const result = await press({
			environment: 'live',
			apiKey: keys.full,
			workflowId: workflows.main.id,
		});

		expect(result).toMatchObject({ status: 'OK' });
	});

	it('tells a wrong or revoked key from a wrong workflow and from a wrong environment', async () => {
		const { keys } = used.client.environment;
		const { live } = used.service.account.environments;

		const messages = [
			await press({ apiKey: `${keys.full}0` }),
			await press({ apiKey: keys.revoked }),
			await press({ workflowId: 'unknown' }),
			await press({ workflowId: live.workflows.main.id }),
			await press({ environment: 'live' }),
		].map(({ message }) => message);

		expect(messages).toEqual([
			expect.stringMatching(/^The service refused the API key \(40[13]\)\. Check that 'API Key'/),
			expect.stringMatching(/^The service refused the API key \(40[13]\)\. Check that 'API Key'/),
			expect.stringMatching(/^The service does not know this workflow \(404\)\. Check 'Workflow/),
			expect.stringMatching(/^The service does not know this workflow \(404\).*test and live/),
			expect.stringMatching(/^The credential's 'API Key' is a test key, but its 'Environment' is/),
		]);
	});
});

describe('the test button', () => {
	const used = useService({ profile: 'atlas' });

	const press = async (overrides: object = {}) =>
		await testDocumentExtractionApi(used.service.credential({ ...overrides }));

	it.each(['', '/', '//', '/api/v1', '/api/v1/'])(
		'takes the Base URL as the node does, with %j behind it',
		async (end) => {
			const baseUrl = ` ${used.service.url}${end} `;

			expect(await press({ baseUrl })).toMatchObject({ status: 'OK' });
			const { error } = await runNode({
				credential: used.service.credential({ baseUrl }),
				parameters: { resource: 'extraction', operation: 'getAll' },
			});

			expect(error).toBeUndefined();
			const paths = (await used.service.control.requests()).map(({ path }) => path);
			expect(new Set(paths).size).toBe(1);
			expect(paths).toHaveLength(3);
		},
	);

	it.each([
		[{ type: 'html', status: 200, title: 'Welcome' }, /^The address answered, but not as the ext/],
		[{ type: 'status', status: 200, body: { hello: 1 } }, /^The address answered, but not as/],
		[{ type: 'empty' }, /^The address answered, but not as the extraction service does/],
		[{ type: 'status', status: 422 }, /^The service does not accept this 'Workflow ID' \(422\)/],
		[{ type: 'status', status: 429 }, /^The service received too many requests \(429\)/],
		[{ type: 'html', status: 502 }, /^The address answered.*\(502\): probably a web page/],
		[{ type: 'status', status: 503 }, /^The service could not answer \(503\).*try again later/],
		[
			{ type: 'redirect', location: 'https://elsewhere.example/' },
			/^The address redirects to another one \(30\d\)/,
		],
	] as const)('says of %j what it means', async (fault, message) => {
		await used.service.control.faults([{ fault }]);

		const result = await press();

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
	});

	it.each([
		['http://127.0.0.1:9', 'nothing listens there'],
		['https://nowhere.invalid', 'no host of this name is known'],
	])('says in words that %s cannot be reached', async (baseUrl, why) => {
		expect(await press({ baseUrl })).toEqual({
			status: 'Error',
			message: `n8n cannot reach the service at ${baseUrl}: ${why}. Check 'Base URL', and that n8n's network lets it through.`,
		});
	});

	it("says that n8n does not trust the host's certificate", async () => {
		const service = await startService({ profile: 'atlas', tls: true });

		const { message } = await testDocumentExtractionApi(service.credential());
		await service.stop();

		expect(message).toMatch(/^n8n cannot reach .* does not trust the host's certificate/);
	});

	it('says of a connection that breaks that there is no answer', async () => {
		await used.service.control.faults([{ fault: { type: 'cutBefore' } }]);

		expect(await press()).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/^n8n cannot reach .*: there is no answer/),
		});
	});

	it('is not part of an execution', async () => {
		await runNode({
			credential: used.service.credential(),
			parameters: { resource: 'extraction', operation: 'getAll' },
		});

		expect(await used.service.control.requests()).toHaveLength(1);
	});

	it('sends nothing with a credential that cannot be right', async () => {
		const results = [
			await press({ baseUrl: used.service.url.replace('127.0.0.1', '127.0.0.1.example') }),
			await press({ apiKey: 'abc' }),
			await press({ workflowId: ' .. ' }),
		];

		expect(results).toMatchObject([
			{ status: 'Error', message: expect.stringContaining('must start with https://') },
			{ status: 'Error', message: expect.stringContaining('is neither a test key') },
			{ status: 'Error', message: "The credential's 'Workflow ID' is not an ID" },
		]);
		expect(await used.service.control.requests()).toEqual([]);
	});

	it('looks for a workflow by its ID even if that means something in addresses', async () => {
		await press({ workflowId: ' a/b?c#d%2f ' });

		const [{ path }] = await used.service.control.requests();
		expect(path).toBe('/api/v1/workflows/a%2Fb%3Fc%23d%252f/extractions');
	});
});
