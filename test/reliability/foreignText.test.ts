import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node';
import type { Fault } from '../../dev/service/faults';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { loadOptionsContext, runNode } from '../support/n8n';
import { useService } from '../support/useService';
import { startRecordingServer, type RecordingServer } from './recordingServer';

const MARKUP = '<img src=x onerror=alert(1)>';
const SHOWN = '‹img src=x onerror=alert(1)›';
const UPLOAD = { resource: 'document', operation: 'upload', uploadMethod: 'direct' };
const LIST_DOCUMENTS = { resource: 'document', operation: 'getAll', returnAll: true };
const LIST_RESULTS = { ...LIST_DOCUMENTS, resource: 'extraction', simple: false };

const used = useService({ profile: 'atlas' });

const respond = async (body: unknown, status = 200) =>
	await used.control.faults([{ fault: { type: 'status', status, body } satisfies Fault }]);

describe("JSON that names files of n8n's own storage", () => {
	it.each(['data', '_files.data', '*'])(
		'gives no file where files are kept apart from it (%s)',
		async (binaryPropertyName) => {
			const own = await binaryItem({ files: { data: textFile('secret.txt') }, mode: 'filesystem' });

			const { error, output } = await used.run(
				{ ...UPLOAD, binaryPropertyName },
				{ items: [{ json: { _files: { ...own.binary } } }], binaryMode: 'filesystem' },
			);

			expect(output).toEqual([]);
			expect(error === undefined).toBe(binaryPropertyName === '*');
			expect((await used.control.ledger()).uploads).toEqual([]);
		},
	);
});

describe('markup that others wrote', () => {
	const { listSearch, loadOptions } = new DocumentExtraction().methods;
	const context = () => loadOptionsContext({ credential: used.service.credential() });

	it('is text in the lists of columns and collections', async () => {
		await respond({
			is_extracting: false,
			columns: [{ column_id: 'a', name: MARKUP, type: MARKUP, prompt: MARKUP }],
			collections: [{ collection_id: 'b', name: MARKUP }],
		});

		expect(await loadOptions.getColumns.call(context())).toEqual([
			{ value: 'a', name: `${SHOWN} (${SHOWN})`, description: SHOWN },
		]);
		expect(await listSearch.searchCollections.call(context())).toEqual({
			results: [{ value: 'b', name: SHOWN }],
		});
	});

	it.each([400, 403, 404, 422, 500])('is text in errors (%s)', async (status) => {
		await respond(
			{ detail: MARKUP, errors: [{ loc: ['body', MARKUP], msg: MARKUP, type: 'x' }] },
			status,
		);

		const { error } = await used.run({
			resource: 'collection',
			operation: 'merge',
			collection: { __rl: true, mode: 'id', value: 'c' },
		});

		expect(`${error?.message} ${error?.description}`).not.toMatch(/[<>]/);
		expect(error?.description).toContain(SHOWN);
	});

	it('is text in hints and errors that name a file', async () => {
		const item = await binaryItem({ files: { data: textFile(`${MARKUP}.txt`) } });

		const skipped = await used.run(
			{ ...UPLOAD, options: { mimeTypes: 'image/png' } },
			{ items: [item] },
		);
		await respond({ detail: 'No' }, 400);
		const failed = await used.run(UPLOAD, { items: [item] });

		const [hint] = skipped.hints;
		expect(hint.message).toContain(`Skipped ${SHOWN}.txt`);
		expect(JSON.stringify(skipped.hints)).not.toMatch(/[<>]/);
		expect(failed.error?.description).toContain(`${SHOWN}.txt`);
		expect(failed.error?.description).not.toMatch(/[<>]/);
	});
});

describe('text that is made to take long', () => {
	const HTTPS = 'http://'.repeat(16_000);

	it.each([
		['as the reason of a failure', { detail: HTTPS }, 400],
		['as text', HTTPS, 400],
		['as an entry of a 422', [{ loc: ['body', HTTPS], msg: HTTPS, type: HTTPS }], 422],
		['as a page', `<html><title>${HTTPS}`, 502],
		['as a field of an upload', { document_id: 'd', note: HTTPS, list: [HTTPS] }, 201],
	])('112 kB of http:// %s take no time', async (_, body, status) => {
		await used.fault('upload', { type: 'status', status, body });
		const items = [await binaryItem({ files: { data: textFile('a.txt') } })];
		const credential = used.service.credential();
		const start = process.cpuUsage();

		await runNode({ credential, parameters: UPLOAD, items });

		expect(process.cpuUsage(start).user / 1e6).toBeLessThan(3);
	});
});

describe('names that JavaScript knows', () => {
	let server: RecordingServer;
	beforeAll(async () => {
		server = await startRecordingServer(used.network);
	});
	afterAll(async () => await server.stop());

	it('are query parameters like any others', async () => {
		server.answerWith(() => ({ status: 200, body: '[]' }));
		const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

		const { error } = await used.run(
			{
				...LIST_DOCUMENTS,
				query: { parameters: names.map((name) => ({ name, value: `of ${name}` })) },
			},
			{ credential: { baseUrl: server.url } },
		);

		expect(error).toBeUndefined();
		const [, query] = server.requests[0].target.split('?');
		expect([...new URLSearchParams(query)]).toEqual(names.map((name) => [name, `of ${name}`]));
	});
});

describe('responses nested 10,000 levels deep', () => {
	const LEVELS = 10_000;
	const nested = (inner: string) =>
		`${'{"a":['.repeat(LEVELS / 2)}${inner}${']}'.repeat(LEVELS / 2)}`;
	const inList = `{"total":1,"page":1,"limit":1,"pages":1,"items":[${nested('1')}]}`;

	it.each([400, 404, 422])('keep their status %s', async (status) => {
		await respond(nested('"no"'), status);

		const { error } = await used.run({
			resource: 'collection',
			operation: 'merge',
			collection: { __rl: true, mode: 'id', value: 'c' },
		});

		expect(error?.message).toContain(`(${status})`);
		expect(error).toMatchObject({ httpCode: String(status) });
	});

	it.each([
		['Document › Get Many', LIST_DOCUMENTS, nested('{"extraction_status": "x"}')],
		['Document › Get Many, of pages', LIST_DOCUMENTS, inList],
		['Extraction › Get Many', LIST_RESULTS, inList],
		['Workflow › Get', { resource: 'workflow', operation: 'get' }, nested('1')],
	])('are a success where they come with one: %s', async (_, parameters, body) => {
		await respond(body);

		const { error, output } = await used.run(parameters);

		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
	});

	it.each([
		['results', { finishedStatuses: '', workflowEndpoint: '' }],
		['the workflow', { finishedStatuses: '' }],
		['statuses', {}],
	])('do not stop the wait by %s', async (_, credential) => {
		await used.control.settings({ startMs: 0, extractionMs: 0 });
		await used.fault('getExtractions', { type: 'status', status: 200, body: inList });

		const { error, output } = await used.run(
			{ uploadMethod: 'direct', simple: false, options: { settleTime: 0 } },
			{ credential, items: [await binaryItem({ files: { data: textFile('a.txt') } })] },
		);

		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
	});

	it('say that an upload has no document ID', async () => {
		await used.fault('upload', { type: 'status', status: 201, body: nested('1') });

		const { error } = await used.run(
			{ uploadMethod: 'direct' },
			{ items: [await binaryItem({ files: { data: textFile('a.txt') } })] },
		);

		expect(error?.message).toContain("exactly one document ID under 'Document ID Field'");
	});
});

describe('more files than a call takes arguments', () => {
	it('are all skipped, or looked for, without an error', async () => {
		const count = 130_000;
		const files = await binaryItem({ files: { data: textFile('a.txt') } });
		const binary = Object.fromEntries(
			Array.from({ length: count }, (_, index) => [
				`file_${index}`,
				{ ...files.binary?.data, data: 'eA==' },
			]),
		) as typeof files.binary;

		const { error, output, hints } = await used.run(
			{ ...UPLOAD, binaryPropertyName: '*', options: { mimeTypes: 'image/png' } },
			{ items: [{ json: {}, binary }] },
		);

		expect(error).toBeUndefined();
		expect(output).toEqual([]);
		expect(JSON.stringify(hints)).toContain(`And ${count + 1 - 5} more`);
	});
});

describe('documents, wherever they stand in a response of the list', () => {
	const documents = ['a', 'b', 'c'].map((id) => ({ document_id: id, extraction_status: 'done' }));

	it.each<[string, unknown]>([
		['in a list under a name', { shelf: documents }],
		['in a list further down', { data: { shelf: documents, more: [] } }],
		['each in an envelope of its own', { shelf: documents.map((file) => ({ file })) }],
		[
			'by their ID',
			{ shelf: Object.fromEntries(documents.map((file) => [file.document_id, file])) },
		],
	])('are one item each: %s', async (_, body) => {
		await respond(body);

		const { output } = await used.run(LIST_DOCUMENTS);

		expect(output).toHaveLength(3);
		expect(
			output.map(({ json }) => /"document_id":"(\w)"/.exec(JSON.stringify(json))?.[1]),
		).toEqual(['a', 'b', 'c']);
	});

	it('are the response as a whole where there are none', async () => {
		await respond({ shelf: 'empty' });

		const { output } = await used.run(LIST_DOCUMENTS);

		expect(output.map(({ json }) => json)).toEqual([{ shelf: 'empty' }]);
	});
});
