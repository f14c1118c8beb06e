import type { INodeParameters } from 'n8n-workflow';
import { rateSigns } from '../../nodes/DocumentExtraction/http/response';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { startRecordingServer, type RecordedRequest } from './recordingServer';

/** A small service of its own: what it is asked, in order, where the simulated one would not show it. */
async function calls(
	parameters: INodeParameters,
	credential: object,
	run: Partial<RunOptions>,
	answer: (request: RecordedRequest) => object | 'cut',
) {
	const server = await startRecordingServer();
	server.answerWith((request) => {
		const json = answer(request);
		return json === 'cut' ? 'cut' : { status: 200, body: JSON.stringify(json) };
	});
	const { error, output } = await runNode({
		parameters: { options: {}, ...parameters },
		credential: {
			environment: 'test',
			baseUrl: server.url,
			apiKey: 'x_test_123',
			workflowId: 'W',
			useSignedUploads: true,
			uploadUrlField: 'url',
			uploadUrlEndpoint: 'GET /workflows/{workflow_id}/sign',
			confirmMethod: 'POST',
			confirmBody: '{"ids": ["{document_id}"]}',
			...credential,
		},
		items: [{ json: {} }],
		...run,
	}).finally(server.stop);
	const log = server.requests.map(({ method, target, headers, body }) => {
		const isJson = headers['content-type']?.includes('json');
		const path = target.replace('/api/v1/workflows/W', '');
		return [method, path, ...(isJson ? [String(body)] : [])].join(' ');
	});
	return { error, output, log };
}

const SIGNED = {
	resource: 'document',
	operation: 'upload',
	uploadMethod: 'signed',
	binaryPropertyName: '*',
};
const files = (...names: string[]) =>
	Object.fromEntries(names.map((name) => [name[0], textFile(name)]));

it.each([
	['', {}, 1],
	[', also with Retry On Fail', { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }, 2],
])(
	'a file goes to the document that is confirmed, where a GET signs%s',
	async (_, retry, times) => {
		let signed = 0;
		let confirmed = 0;
		const { error, output, log } = await calls(
			SIGNED,
			{},
			{ items: [await binaryItem({ files: files('a.txt') })], ...retry },
			({ target, headers }) => {
				if (target.endsWith('/confirm')) return ++confirmed < times ? 'cut' : {};
				if (!target.endsWith('/sign')) return {};
				signed++;
				return { url: `http://${headers.host}/put/${signed}`, document_id: `doc${signed}` };
			},
		);

		expect(log).toEqual(['GET /sign', 'PUT /put/1', 'POST /documents/confirm {"ids":["doc1"]}']);
		expect(error === undefined).toBe(times === 1);
		expect(output.map(({ json }) => json.documentId)).toEqual(times === 1 ? ['doc1'] : []);
	},
);

it('two files that are one document are confirmed once', async () => {
	const { error, output, log } = await calls(
		SIGNED,
		{
			uploadUrlEndpoint: 'POST /workflows/{workflow_id}/sign',
			confirmBody: '{"docs": [{"id": "{document_id}", "name": "{file_name}"}]}',
		},
		{ items: [await binaryItem({ files: files('a.txt', 'b.txt') })] },
		({ headers }) => ({ url: `http://${headers.host}/put/1`, document_id: 'same' }),
	);

	expect(error).toBeUndefined();
	expect(log.filter((line) => line.includes('/confirm'))).toEqual([
		'POST /documents/confirm {"docs":[{"id":"same","name":"b.txt"}]}',
	]);
	expect(output).toHaveLength(2);
});

it('what was held back after a start in doubt is not sent by a later try', async () => {
	const { error, log } = await calls(
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: 'a,b',
			options: { documentsPerCall: 1 },
		},
		{},
		{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		() => 'cut',
	);

	expect(error?.description).toContain('The outcome is unknown');
	expect(log).toEqual(['POST /extract {"document_ids":["a"]}']);
});

it.each([
	['-1', undefined],
	['unlimited', undefined],
	['0', 0],
	['12', 12],
])('X-RateLimit-Remaining: %s', (remaining, expected) => {
	const headers = { 'x-ratelimit-remaining': remaining };
	expect(rateSigns({ statusCode: 200, headers, text: '' }).remaining).toBe(expected);
});
