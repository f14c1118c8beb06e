import type { Fault } from '../dev/service/faults';
import { DocumentExtractionApi } from '../credentials/DocumentExtractionApi.credentials';
import type { OutgoingRequest } from '../nodes/DocumentExtraction/account/credential';
import { problemOfUrl } from '../nodes/DocumentExtraction/account/credential';
import {
	ALL_DETAILS,
	API_DETAILS,
	type ApiDetail,
} from '../nodes/DocumentExtraction/account/apiDetails';
import { testDocumentExtractionApi } from './support/n8n';
import { PROFILES } from './support/serviceContract';
import { useService } from './support/useService';

const credential = new DocumentExtractionApi();

type Request = Record<string, unknown>;

const authenticate = async (data: object, request: Request) => {
	if (typeof credential.authenticate !== 'function') throw new Error('not a function');
	return await credential.authenticate(
		{
			environment: 'test',
			baseUrl: 'https://api.example.com',
			apiKey: 'abc_test_0123',
			workflowId: 'wf_1',
			...data,
		},
		request as Partial<OutgoingRequest> as OutgoingRequest,
	);
};

const TARGET = { url: 'https://api.example.com/api/v1/workflows' };

/** By the names of n8n's newer and of its older client. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
	sendCredentialsOnCrossOriginRedirect: false,
};

describe('the key goes along', () => {
	it("with a request to the Base URL, in place of the request's own, and without redirects", async () => {
		const request = { ...TARGET, headers: { Accept: 'application/json' }, qs: { page: 2 } };
		const keys = { authorization: 'Bearer other', AUTHORIZATION: 'x' };
		const redirects = {
			followRedirect: true,
			followAllRedirects: true,
			maxRedirects: 5,
			disableFollowRedirect: false,
			sendCredentialsOnCrossOriginRedirect: true,
		};
		const signed = {
			...request,
			headers: { Accept: 'application/json', Authorization: 'Bearer abc_test_0123' },
			...NO_REDIRECTS,
		};

		expect(await authenticate({}, request)).toEqual(signed);
		expect(request.headers).toEqual({ Accept: 'application/json' });
		const others = { ...request, ...redirects, headers: { ...request.headers, ...keys } };
		expect(await authenticate({}, others)).toEqual(signed);
	});

	it.each<[string, Request]>([
		['https://api.example.com', { uri: 'https://api.example.com/api/v1/workflows' }],
		['https://api.example.com', { url: 'HTTPS://API.Example.com/elsewhere?a=b' }],
		['https://api.example.com/', TARGET],
		[' https://api.example.com/api/v1/ ', TARGET],
		['https://api.example.com/service', { url: 'https://api.example.com/service/api/v1' }],
		['http://localhost:5678', { url: 'http://localhost:5678/api/v1' }],
		['http://[::1]:5678', { url: 'http://[::1]:5678/api/v1' }],
	])('with Base URL %j and %j', async (baseUrl, request) => {
		const { headers } = await authenticate({ baseUrl }, request);

		expect(headers).toEqual({ Authorization: 'Bearer abc_test_0123' });
	});

	it.each([
		['test', 'abc_test_0123'],
		['live', 'abc_live_0123'],
		['test', ' olive_test_0123 '],
		['test', 'abc_eu_test_0_live'],
	])('in the %s environment when it is %s', async (environment, apiKey) => {
		const { headers } = await authenticate({ environment, apiKey }, TARGET);

		expect(headers).toEqual({ Authorization: `Bearer ${apiKey.trim()}` });
	});
});

describe('the key is kept back', () => {
	const NOT_ENCRYPTED = 'must begin with https://';
	const NO_ADDRESS = 'must be an address such as https';
	const LIVE = { environment: 'live', apiKey: 'abc_live_0123' };

	it.each([
		...[
			'http://api.example.com',
			'http://localhost.example.com',
			'http://127.0.0.1.example.com',
			'http://localhost.',
		].map((baseUrl) => ({ baseUrl, problem: NOT_ENCRYPTED })),
		...['http://localhost:5678', 'http://127.0.0.1', 'http://[::1]:1'].map((baseUrl) => {
			return { ...LIVE, baseUrl, problem: NOT_ENCRYPTED };
		}),
		{ baseUrl: '', problem: 'is empty' },
		...[
			'api.example.com',
			'javascript:alert(1)',
			'https://',
			'https://user:word@api.example.com',
			'http://localhost@example.com',
			'https://api.example.com@',
			'https://api.example.com/#',
			'https://api.exa\nmple.com',
			'https://api.example.com\\x',
			'https:api.example.com',
			'https://api.example.com/?key=1',
		].map((baseUrl) => ({ baseUrl, problem: NO_ADDRESS })),
	])("from a 'Base URL' that $problem: $baseUrl", async ({ problem, ...data }) => {
		await expect(authenticate(data, { url: `${data.baseUrl}/api/v1` })).rejects.toThrow(
			`The credential's 'Base URL' ${problem}`,
		);
	});

	it.each<[string, Request]>([
		["has a 'Host' header", { headers: { Host: 'evil.example' } }],
		["has a 'Host' header", { headers: { hOsT: 'evil.example' } }],
		['does not check certificates', { skipSslCertificateValidation: true }],
		['does not check certificates', { rejectUnauthorized: false }],
		['does not check certificates', { agentOptions: { rejectUnauthorized: false } }],
		['has the method TRACE', { method: 'trace' as Request['method'] }],
		['uses its own proxy', { proxy: { host: 'evil.example', port: 80 } }],
	])('from a request that %s: %j', async (what, settings) => {
		await expect(authenticate({}, { ...TARGET, ...settings })).rejects.toThrow(
			new RegExp(`^The request ${what}.*, and this credential refuses that: .*The request was not`),
		);
	});

	it.each([
		['test', 'abc_live_0123', 'is a live key, but its'],
		['live', 'abc_test_0123', 'is a test key, but its'],
		['test', 'abc_0123', 'is neither a test key'],
		['live', 'test_live', 'is neither a test key'],
		['test', '', 'is empty'],
		['test', '"abc_test_0123"', 'contains a space, a line break, a quotation mark'],
		['test', 'abc_test_0\r\nX-Injected: yes', 'contains a space, a line break'],
		[
			'test',
			'abc_test_ü',
			'contains a space, a line break, a quotation mark or another character that no key has',
		],
	])('in the %s environment when it is %j', async (environment, apiKey, reason) => {
		await expect(authenticate({ environment, apiKey }, TARGET)).rejects.toThrow(
			`The credential's 'API Key' ${reason}`,
		);
	});

	it.each<Request>([
		{ url: 'https://evil.example/api/v1' },
		{ url: '//evil.example/api/v1' },
		{ url: '/workflows', baseURL: 'https://api.example.com/api/v1' },
		{ url: 'https://api.example.com@evil.example/' },
		{ url: 'https://api.example.com.evil.example/' },
		{ url: 'https://evil.example\\@api.example.com/' },
		{ url: 'https://api.example.com:8443/' },
		{ url: 'http://api.example.com/' },
		{ url: '/workflows', baseURL: 'https://evil.example' },
		{ url: 'https://api.example.com/', uri: 'https://evil.example/' },
		{ url: 'https://evil.example/', uri: 'https://api.example.com/' },
		{ url: 'https://user:word@api.example.com/' },
		{ url: 'https://аpi.example.com/' },
		{ url: 'https://api.example.com%2eevil.example/' },
		{ url: ' https://evil.example/' },
		{ url: '/workflows' },
		{ url: '' },
		{},
	])('from another origin: %j', async (request) => {
		await expect(authenticate({}, request)).rejects.toThrow(
			[
				"This credential only works for https://api.example.com, the address in its 'Base URL'.",
				'The request was not sent',
			].join(' '),
		);
	});
});

it.each([
	'/workflows',
	'//evil.example/',
	'https://evil.example/',
	'@evil.example/',
	'\t//evil.example',
])("a request like the credential's test stays at the service: %j", async (path) => {
	const { url, baseURL } = await authenticate(
		{},
		{ url: path, baseURL: 'https://api.example.com' },
	);

	expect(url).toBe(`https://api.example.com/api/v1${path}`);
	expect(baseURL).toBeUndefined();
});

const NOT_ENCRYPTED = 'it does not start with https://';
const THIS_MACHINE = 'it leads to the machine that n8n itself runs on';

it.each([
	['https://storage.example/x?a=b', 'https://api.example.com', undefined],
	['http://storage.example/x', 'https://api.example.com', NOT_ENCRYPTED],
	['ftp://storage.example/x', 'https://api.example.com', NOT_ENCRYPTED],
	['no address', 'https://api.example.com', 'it is not a whole address'],
	['https://127.0.0.1/x', 'https://api.example.com', THIS_MACHINE],
	['https://localhost./x', 'https://api.example.com', THIS_MACHINE],
	['https://0/x', 'https://api.example.com', THIS_MACHINE],
	['https://[::]/x', 'https://api.example.com', THIS_MACHINE],
	['https://[::1]/x', 'https://api.example.com', THIS_MACHINE],
	['https://[::ffff:127.0.0.1]/x', 'https://api.example.com', THIS_MACHINE],
	['http://127.0.0.1:9000/x', 'http://localhost:8000', undefined],
	['https://storage.example/x', 'http://localhost:8000', undefined],
	['http://storage.example/x', 'http://localhost:8000', NOT_ENCRYPTED],
])('why %s, named by %s, may not be used: %s', (url, address, problem) => {
	expect(problemOfUrl(url, address)).toBe(problem);
});

describe('the window', () => {
	it('names every API Detail, and shows the line that the main job needs', () => {
		const { description, placeholder } = credential.properties[4];

		expect(placeholder).toBe('e.g. Upload File Field: file');
		for (const { label } of Object.values(API_DETAILS)) expect(description).toContain(`'${label}'`);
	});
});

const pressOf =
	(used: ReturnType<typeof useService>) =>
	async (overrides: object = {}) =>
		await testDocumentExtractionApi(used.service.credential({ ...overrides }));

describe.each(PROFILES)('the test button, as %s', (profile) => {
	const used = useService({ profile });
	const press = pressOf(used);

	it('tells a wrong or revoked key from a wrong workflow and from a wrong environment', async () => {
		const { keys } = used.client.environment;
		const { live } = used.service.account.environments;
		const said = async (overrides: object) => (await press(overrides)).message;

		for (const apiKey of [`${keys.full}0`, keys.revoked]) {
			expect(await said({ apiKey })).toMatch(/\(40[13]\)\..*API settings of your account/);
		}
		for (const workflowId of ['unknown', live.workflows.main.id]) {
			expect(await said({ workflowId })).toMatch(/^This workflow was not found \(404\)/);
		}
		expect(await said({ environment: 'live' })).toContain("'API Key' is a test key, but its");
	});
});

/** What 'a b' cannot be: two words are no name, path, endpoint or JSON. */
function isMalformed(detail: ApiDetail): boolean {
	const { parse, placeholders = [] } = API_DETAILS[detail];
	try {
		parse('a b', { address: 'https://api.example.com', workflowId: 'wf_1', placeholders });
		return false;
	} catch {
		return true;
	}
}

const MALFORMED = Object.fromEntries(
	ALL_DETAILS.filter(isMalformed).map((detail) => [detail, 'a b']),
);

// Where nobody answers, n8n's own words are shown: dev/live/e2e/credentialTest.ts.
describe('the test button', () => {
	const used = useService({ profile: 'atlas' });
	const press = pressOf(used);

	it.each(['', '/', '//', '/api/v1', '/api/v1/'])(
		'takes the Base URL as the node does, with %j behind it',
		async (end) => {
			const baseUrl = ` ${used.service.url}${end} `;

			expect(await press({ baseUrl })).toMatchObject({ status: 'OK' });
			const { error } = await used.run(
				{ resource: 'extraction', operation: 'getAll' },
				{ credential: { baseUrl } },
			);

			expect(error).toBeUndefined();
			const paths = (await used.control.requests()).map(({ path }) => path);
			expect(new Set(paths).size).toBe(1);
			expect(paths).toHaveLength(2);
		},
	);

	const ANOTHER_SERVICE = /^The address responded, but not as the extraction service does/;
	const DOWN = /^The service, or its proxy, could not handle/;
	const json = (status: number, body?: unknown): Fault => ({ type: 'status', status, body });

	it.each<[Fault, RegExp]>([
		[{ type: 'html', status: 200, title: 'Welcome' }, ANOTHER_SERVICE],
		[{ type: 'empty' }, ANOTHER_SERVICE],
		[json(200, { hello: 1 }), ANOTHER_SERVICE],
		[json(200, { total: 3 }), ANOTHER_SERVICE],
		[json(401), /^The API key was refused \(401\)\. Copy the whole key again/],
		[json(407), DOWN],
		[json(422), /^This workflow was not found \(422\)/],
		[json(429), DOWN],
		[json(500), DOWN],
		[{ type: 'html', status: 502 }, DOWN],
		[{ type: 'redirect', location: 'https://elsewhere.example/' }, ANOTHER_SERVICE],
	])('says of %j what it means', async (fault, message) => {
		await used.control.faults([{ fault }]);

		const result = await press();

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
	});

	it.each(Object.entries(MALFORMED))(
		'names an API Detail that cannot be right, and sends nothing: %s %j',
		async (name, value) => {
			const { label } = API_DETAILS[name as ApiDetail];

			const { status, message } = await press({ [name]: value });

			expect(status).toBe('Error');
			expect(message).toContain(`The credential's line '${label}: ${value}' `);
			expect(await used.control.requests()).toEqual([]);
		},
	);

	it.each([
		[
			'Uplod File Field: file',
			"begins with no known label: 'Uplod File Field: file'. Did you mean",
		],
		['Rows: a\nRows: b', "has two lines for 'Rows'. Delete one of them: 'Rows: a' or 'Rows: b'"],
	])(
		'names a line that belongs to no API Detail, and sends nothing: %j',
		async (apiDetails, words) => {
			const { status, message } = await press({ apiDetails });

			expect(status).toBe('Error');
			expect(message).toContain(words);
			expect(await used.control.requests()).toEqual([]);
		},
	);

	it('leaves a malformed API Detail to the operations that need it', async () => {
		const { error } = await used.run(
			{ resource: 'extraction', operation: 'getAll', simple: false },
			{ credential: MALFORMED },
		);

		expect(error).toBeUndefined();
	});

	it.each<[object, string]>([
		[{ apiKey: 'abc' }, 'is neither a test key'],
		[{ workflowId: ' .. ' }, 'is not the ID of a workflow at the extraction service'],
		[{ workflowId: ' "b1" ' }, 'enter the ID alone, without quotation marks'],
	])('sends nothing with a credential that cannot be right: %j', async (entered, message) => {
		const result = await press(entered);

		expect(result).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
		expect(await used.control.requests()).toEqual([]);
	});

	it('looks for a workflow by its ID even if that means something in addresses', async () => {
		await press({ workflowId: ' a/b?c#d%2f ' });

		const [{ path }] = await used.control.requests();
		expect(path).toBe('/api/v1/workflows/a%2Fb%3Fc%23d%252f/extractions');
	});
});
