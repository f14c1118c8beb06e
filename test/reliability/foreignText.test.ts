import type { INodeParameters } from 'n8n-workflow';
import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { loadOptionsContext } from '../support/n8n';
import { useService } from '../support/useService';

const MARKUP = '<img src=x onerror=alert(1)>';
const SHOWN = '‹img src=x onerror=alert(1)›';
const UPLOAD = { resource: 'document', operation: 'upload' };
const LIST_DOCUMENTS = { resource: 'document', operation: 'getAll', returnAll: true };

const LIST_RESULTS = { ...LIST_DOCUMENTS, resource: 'extraction', simple: false };

const used = useService({ profile: 'atlas' });

const respond = async (body: unknown, status = 200) =>
	await used.control.faults([{ fault: { type: 'status', status, body } }]);

const uploaded = async (name = 'a.txt') => [await binaryItem({ files: { data: textFile(name) } })];

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

	it('is text in hints and errors that name a file', async () => {
		const items = await uploaded(`${MARKUP}.txt`);

		const skipped = await used.run({ ...UPLOAD, options: { mimeTypes: 'image/png' } }, { items });
		await respond({ detail: 'No' }, 400);
		const failed = await used.run(UPLOAD, { items });

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
		const items = await uploaded();
		const start = process.cpuUsage();

		await used.run(UPLOAD, { items });

		expect(process.cpuUsage(start).user / 1e6).toBeLessThan(3);
	});
});

describe('responses nested 10,000 levels deep', () => {
	const LEVELS = 10_000;
	const nested = (inner: string) =>
		`${'{"a":['.repeat(LEVELS / 2)}${inner}${']}'.repeat(LEVELS / 2)}`;
	const inList = `{"total":1,"page":1,"limit":1,"pages":1,"items":[${nested('1')}]}`;

	it.each<[string, INodeParameters, string]>([
		['Document › Get Many', LIST_DOCUMENTS, nested('{"extraction_status": "x"}')],
		['Document › Get Many, of pages', LIST_DOCUMENTS, inList],
		['Extraction › Get Many', LIST_RESULTS, inList],
		['Workflow › Get', { resource: 'workflow', operation: 'get' }, nested('1')],
	])('are what their status says: %s', async (_, parameters, body) => {
		await respond(body);
		const { error, output } = await used.run(parameters);
		await used.control.clearFaults();
		await respond(body, 422);
		const refused = await used.run(parameters);

		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
		expect(refused.error).toMatchObject({ httpCode: '422' });
	});
});

it('more files than a call takes arguments are all skipped, or looked for, without an error', async () => {
	const count = 130_000;
	const file = { data: 'eA==', mimeType: 'text/plain', fileName: 'a.txt' };
	const names = Array.from({ length: count }, (_, index) => `file_${index}`);
	const binary = Object.fromEntries(names.map((name) => [name, file]));

	const { error, output, hints } = await used.run(
		{ ...UPLOAD, binaryPropertyName: '*', options: { mimeTypes: 'image/png' } },
		{ items: [{ json: {}, binary }] },
	);

	expect(error).toBeUndefined();
	expect(output).toEqual([]);
	expect(JSON.stringify(hints)).toContain(`And ${count - 5} more`);
});

const FOUND = ['a', 'b', 'c'].map((id) => ({ document_id: id, extraction_status: 'done' }));
const BY_ID = Object.fromEntries(FOUND.map((file) => [file.document_id, file]));

it.each<[string, unknown]>([
	['in a list further down', { data: { shelf: FOUND, more: [] } }],
	['each in an envelope of its own', { shelf: FOUND.map((file) => ({ file })) }],
	['by their ID', { shelf: BY_ID }],
])('documents are one item each, wherever they stand in a response: %s', async (_, body) => {
	await respond(body);

	const { output } = await used.run(LIST_DOCUMENTS);

	const ids = output.map(({ json }) => /"document_id":"(\w)"/.exec(JSON.stringify(json))?.[1]);
	expect(ids).toEqual(['a', 'b', 'c']);
});

it('a response without documents is the item', async () => {
	await respond({ shelf: 'empty' });

	const { output } = await used.run(LIST_DOCUMENTS);

	expect(output.map(({ json }) => json)).toEqual([{ shelf: 'empty' }]);
});
