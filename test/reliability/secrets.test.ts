import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { logOf } from '../support/log';
import { testDocumentExtractionApi } from '../support/n8n';
import type { NodeRun } from '../support/nodeEngine';
import { useVirtualService } from '../support/useService';
import { startRecordingServer, type RecordingServer } from './recordingServer';

const SIGNATURE = /X-Amz-Signature=\w|s1gnature/;

const used = useVirtualService({ profile: 'borealis' });
/** On another origin than the service's. */
let other: RecordingServer;

beforeAll(async () => {
	other = await startRecordingServer(used.network);
});
beforeEach(() => other.answerWith(() => ({ status: 200 })));

const keyOf = () => String(used.service.credential().apiKey);

const LIST = { resource: 'extraction', operation: 'getAll' };
const FILES = { ...LIST, simple: false, options: { includeFile: true } };
const UPLOAD = { resource: 'document', operation: 'upload' };
const SIGNED = { ...UPLOAD, options: { uploadMethod: 'signed' } };
const MERGE = {
	resource: 'collection',
	operation: 'merge',
	collection: { __rl: true, mode: 'id', value: '={{ $json.collection }}' },
	options: { downloadUrlField: 'href' },
};

const RUNS: Array<[string, Operation, INodeParameters]> = [
	['a list', 'getExtractions', LIST],
	['a direct upload', 'upload', UPLOAD],
	['an upload URL', 'createUploadUrl', SIGNED],
	['a PUT', 'putFile', SIGNED],
	['a confirmation', 'confirm', SIGNED],
	['a download', 'downloadMerged', MERGE],
	['the file of a document', 'downloadFile', FILES],
];

/** Everything that n8n keeps or shows of a run, its log at debug level included. */
async function traces(parameters: INodeParameters, signal?: AbortSignal) {
	const [{ id }] = used.client.workflow.collections;
	await used.control.seed({ documents: 1, collection: id });
	const files = { data: textFile('a.txt') };
	const items = [await binaryItem({ json: { collection: id }, files, mode: 'filesystem' })];
	let run: NodeRun | undefined;
	const logging = logOf(async () => {
		run = await used.run(parameters, { items, binaryMode: 'filesystem', signal });
	});
	const log = await used.time.run(logging);
	// The rows of a list name the files by URL: that is what the user asks for.
	const isList = parameters.operation === 'getAll' && parameters !== FILES;
	const kept = isList ? [run?.error, run?.hints] : run;
	return { run, text: JSON.stringify({ kept, log }) };
}

const secretsIn = ({ text }: { text: string }) => [
	...(text.match(SIGNATURE) ?? []),
	...(text.includes(keyOf()) ? ['the key'] : []),
];

describe('the key and signed URLs are in no error, log, hint or execution data', () => {
	const SIGNED_PATH = '/x?X-Amz-Signature=abcdef';
	const quoted = () =>
		[
			`Authorization: Bearer ${keyOf()} for ${keyOf()}`,
			`at ${used.service.storageUrl}${SIGNED_PATH} and ${SIGNED_PATH}`,
		].join(' ');
	const XML = [
		'<Error><Code>SignatureDoesNotMatch</Code><Message>No</Message>',
		'<SignatureProvided>s1gnature</SignatureProvided></Error>',
	].join('');
	const CASES: Array<[string, () => Fault]> = [
		['nothing fails', () => ({ type: 'delay', ms: 1 })],
		[
			'the answer repeats them',
			() => ({ type: 'status', status: 400, body: { detail: quoted() } }),
		],
		['the connection breaks', () => ({ type: 'cutBefore' })],
		['the connection breaks after the work', () => ({ type: 'cutAfter' })],
		['the answer is cut', () => ({ type: 'truncate' })],
		['it is redirected', () => ({ type: 'redirect', location: `${other.url}${SIGNED_PATH}` })],
		[
			'the storage quotes the signature',
			() => ({ type: 'status', status: 403, contentType: 'application/xml', body: XML }),
		],
	];

	describe.each(RUNS)('of %s', (_, operation, parameters) => {
		it.each(CASES)('when %s', async (_case, fault) => {
			await used.fault(operation, fault());

			expect(secretsIn(await traces(parameters))).toEqual([]);
		});

		it('when the user presses Stop', async () => {
			await used.fault(operation, { type: 'delay', ms: 10_000 });

			const found = await traces(parameters, AbortSignal.timeout(400));

			expect(found.run?.status).toBe('canceled');
			expect(secretsIn(found)).toEqual([]);
		});
	});
});

it('the signed URLs of results are in no hint and no log, though the list never rests', async () => {
	await used.control.seed({ documents: 450 });
	await used.fault('getExtractions', { type: 'shiftRows', insert: 1 });

	const found = await traces({ ...LIST, simple: false, returnAll: true });

	expect(JSON.stringify(found.run?.output)).toMatch(SIGNATURE);
	expect(found.run?.hints).toHaveLength(1);
	expect(secretsIn(found)).toEqual([]);
});

it('a signed URL that is taken for the ID of a document is in no message', async () => {
	const href = 'https://storage.example/a.pdf?X-Amz-Signature=abcdef';
	await used.answerResults([{ href, values: { Total: 5 } }]);
	const credential = { documentIdField: 'href', rows: 'values' };
	const options = { requiredColumns: { columns: [{ column: 'Supplier' }] } };

	const { error } = await used.run({ ...LIST, options }, { credential });
	const onError = 'continueErrorOutput';
	const { errorOutput } = await used.run({ ...LIST, options }, { credential, onError });

	for (const message of [error?.description, errorOutput[0].json.message]) {
		expect(message).toContain('Document ID: https://storage.example/a.pdf?…');
	}
});

// What n8n's HTTP Request node sends with the credential: dev/live/e2e/httpRequestNode.ts.
describe('half of a key is not shown either', () => {
	const UNSEEN = '\n';

	it.each([
		{ what: 'a text', contentType: 'text/plain', begin: '', cutAt: 12_000 },
		{
			what: 'the title of a page',
			contentType: 'text/html',
			begin: `${' '.repeat(10_000)}<title>`,
			cutAt: 20_000,
		},
	])('where $what is cut', async ({ contentType, begin, cutAt }) => {
		const key = keyOf();
		const body = begin + UNSEEN.repeat(cutAt - begin.length - key.length / 2) + key;
		await used.fault('getExtractions', { type: 'status', status: 400, body, contentType });

		const { error } = await used.run(LIST);

		expect(error?.message).toMatch(/400/);
		expect(`${error?.message} ${error?.description}`).not.toContain(keyOf().slice(0, 10));
	});
});

describe('the node sends the key to no other origin', () => {
	const created = (body: unknown): Fault => ({ type: 'status', status: 201, body });

	it.each(RUNS)('when %s is redirected', async (_, operation, parameters) => {
		const own = `${used.service.url}/elsewhere`;
		for (const [index, status] of [301, 302, 303, 307, 308].entries()) {
			const location = index % 2 === 0 ? other.url : own;
			await used.fault(operation, { type: 'redirect', status, location }, { times: 1 });
			const { run } = await traces(parameters);
			expect(run?.error?.message).toContain('redirects the request to another address');
			await used.control.clearFaults();
		}

		expect(other.requests).toEqual([]);
		const paths = (await used.control.requests()).map(({ path }) => path);
		expect(paths.filter((path) => path.includes('elsewhere'))).toEqual([]);
	});

	it('when the upload URL or the download URL points to another origin', async () => {
		const slot = { doc_ref: 'x', put: { href: `${other.url}/put?a=b` } };
		await used.fault('createUploadUrl', created({ result: { slots: [slot] } }));
		await used.fault('merge', created({ href: `${other.url}/get?a=b` }));

		await traces(SIGNED);
		await traces(MERGE);

		const methods = other.requests.map(({ method }) => method);
		expect(methods).toEqual(expect.arrayContaining(['PUT', 'GET']));
		expect(other.requests.filter(({ headers }) => headers.authorization)).toEqual([]);
	});

	it('when the credential is tested', async () => {
		await used.control.faults([{ fault: { type: 'redirect', location: `${other.url}/test` } }]);

		const result = await used.time.run(testDocumentExtractionApi(used.service.credential()));

		expect(result.status).toBe('Error');
		expect(other.requests).toEqual([]);
	});
});
