import { createRequire } from 'node:module';
import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';
import { valueIn } from '../../nodes/DocumentExtraction/account/fields';
import { readBinary } from '../support/binary';
import { PROFILES } from '../support/serviceContract';
import { useService } from '../support/useService';

const LIST = { resource: 'extraction', operation: 'getAll' };
const EXTRACT = { resource: 'extraction', operation: 'extractDocuments', wait: true };
const FILE = { includeFile: true };
const CONTINUE = { onError: 'continueRegularOutput' } as const;

// n8n-core has the configuration, and does not export it.
const { SsrfProtectionConfig } = createRequire(require.resolve('n8n-core'))('@n8n/config') as {
	SsrfProtectionConfig: new () => { enabled: boolean };
};
const protection = Container.get(SsrfProtectionConfig);

describe.each(PROFILES)('Include File, as %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const uploaded = async (...names: string[]) => {
		const ids: string[] = [];
		for (const fileName of names) {
			const file = { bytes: `Supplier: ${fileName}`, fileName, contentType: 'text/plain' };
			ids.push(await used.client.uploadedId(file));
		}
		return ids;
	};

	const extracted = async (...names: string[]) => {
		const documentIds = await uploaded(...names);
		await used.run({ ...EXTRACT, documentIds: documentIds.join() });
		return documentIds;
	};

	const downloads = async () => await used.control.requests('downloadFile');

	it.each([true, false])('gives each document with its file, Simplify %s', async (simple) => {
		const ids = await extracted('a.txt', 'b.txt');

		const { error, output } = await used.run({ ...LIST, simple, options: FILE });

		expect(error).toBeUndefined();
		const names = output.map(({ binary }) => binary?.data.fileName);
		expect(new Set(names)).toEqual(new Set(['a.txt', 'b.txt']));
		for (const item of output) {
			expect(item.pairedItem).toEqual({ item: 0 });
			const name = item.binary?.data.fileName;
			expect(item.binary?.data.mimeType).toBe('text/plain');
			expect(String(await readBinary(item, 'data'))).toBe(`Supplier: ${name}`);
		}
		// A document may have several results: its file is downloaded once, and without the key.
		const requests = await downloads();
		expect(requests).toHaveLength(ids.length);
		for (const { server, headers } of requests) {
			expect([server, headers.authorization]).toEqual(['storage', undefined]);
		}
		expect(JSON.stringify(output.map(({ json }) => json))).not.toContain('X-Amz-Signature');
	});

	it('gives documents that were extracted now with their files', async () => {
		const ids = await uploaded('a.txt', 'b.txt');

		const { error, output } = await used.run({
			...EXTRACT,
			documentIds: ids.join(),
			options: FILE,
		});

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json.documentId)).toEqual(ids);
		expect(output.map(({ binary }) => binary?.data.fileName)).toEqual(['a.txt', 'b.txt']);
	});
});

describe('Include File', () => {
	const used = useService({ profile: 'atlas', extractionMs: 30, startMs: 10 });
	const PAGE = 'https://files.example/documents/page%201.png?X-Amz-Signature=1';

	const list = async (options: INodeParameters, more: object = {}) =>
		await used.run({ ...LIST, returnAll: true, options }, more);
	const expired = {
		type: 'status',
		status: 403,
		body: 'expired',
		contentType: 'text/xml',
	} as const;

	it('reads a URL that has expired anew, once', async () => {
		await used.control.seed({ documents: 1 });
		await used.fault('downloadFile', expired, { times: 1 });

		const { error, output } = await list(FILE);

		expect(error).toBeUndefined();
		expect(output[0].binary?.data.fileName).toBe('SEED-1.pdf');
		expect(await used.control.requests('getExtractions')).toHaveLength(2);
		const urls = (await used.control.requests('downloadFile')).map(({ query }) => query);
		expect(urls[0]).not.toEqual(urls[1]);
	});

	it('fails one item for one file that fails, and names its document', async () => {
		const { documentIds } = await used.control.seed({ documents: 3 });
		await used.fault('downloadFile', expired, { skip: 1, times: 2 });

		const { output } = await list({ ...FILE, maxConcurrency: 1 }, CONTINUE);

		expect(output.map(({ binary }) => binary !== undefined)).toEqual([true, false, true]);
		const [, failed] = output;
		expect(failed.json).toMatchObject({
			error: 'The storage refused the signed URL (403)',
			details: { documentId: documentIds[1], httpCode: '403' },
		});
		expect(String(failed.json.message)).toContain("that is under 'File URL Field'");
		const { error } = await used
			.fault('downloadFile', expired)
			.then(async () => await list({ ...FILE, maxConcurrency: 1 }));
		expect(error?.description).toContain(`Document ID: ${documentIds[0]}.`);
	});

	it.each<[title: string, file_url: unknown, said: string]>([
		['nothing', undefined, 'no URL is there'],
		['an empty list', [], 'no URL is there'],
		['a part of an address', '/files/1', 'it is not a whole address'],
		['an address without TLS', 'http://files.example/1', 'it does not start with https://'],
	])('says what is wrong with %s', async (_, file_url, said) => {
		await used.answerResults([{ document_id: 'a', file_url, values: { Total: 1 } }]);

		const { error } = await list(FILE);

		expect(error?.message).toBe(
			`The credential's line 'File URL Field' leads to no usable URL: ${said}`,
		);
		expect(error?.description).toContain('The results of the document have: document_id');
	});

	it('says that a document has no result yet, whatever the credential says', async () => {
		const id = await used.client.uploadedId({ bytes: 'Total: 1' });
		const none = { items: [], total: 0, page: 1, limit: 200, pages: 0 };
		const body = JSON.stringify(none);
		await used.fault('getExtractions', { type: 'status', status: 200, body });

		const { error } = await used.run({ ...EXTRACT, documentIds: id, options: FILE });

		expect(error?.message).toBe('The service has no result of this document yet');
	});

	it.each(['file_urls[0].url', 'url', 'first.page', 'page'])(
		'hides the URLs under %s, and no other text',
		async (fileUrlField) => {
			await used.control.seed({ documents: 1 });
			const [seeded] = (await used.run({ ...LIST, simple: false })).output;
			const url = String(valueIn(seeded.json, 'file_url'));
			const signed = [url, `${PAGE}&n=2`];
			const files = { file_urls: signed.map((one) => ({ url: one })), first: { page: signed } };
			const Note = `Pay at https://shop.example/pay?invoice=7, please. Or: ${PAGE}`;
			await used.answerResults([{ document_id: 'a', ...files, values: { Note, Link: PAGE } }]);

			const more = { credential: { fileUrlField } };
			const raw = await used.run({ ...LIST, simple: false, options: FILE }, more);
			const rows = await list(FILE, more);

			const hidden = ['(signed URL)', '(signed URL)'];
			expect(raw.error).toBeUndefined();
			const isOfList = /url/.test(fileUrlField);
			expect(raw.output[0].json).toMatchObject({
				...(isOfList
					? { file_urls: hidden.map((one) => ({ url: one })) }
					: { first: { page: hidden } }),
				values: { Note, Link: PAGE },
			});
			expect(rows.output[0].json).toMatchObject({ Note, Link: PAGE });
		},
	);

	it('hides them in the values of a document that fails, too', async () => {
		await used.control.seed({ documents: 1 });

		const { output } = await list(
			{ ...FILE, requiredColumns: { columns: [{ column: 'none' }] } },
			{ ...CONTINUE, credential: { rows: '. + values' } },
		);

		expect(output[0].json).toMatchObject({
			error: "There is no column 'none'",
			file_url: '(signed URL)',
		});
		expect(JSON.stringify(output)).not.toContain('X-Amz-Signature');
	});

	it("goes through n8n's guard against internal addresses", async () => {
		// Only once the list was asked for: the simulated service itself is on this machine.
		await used.fault('getExtractions', { type: 'delay', ms: 10_000 });
		setTimeout(() => (protection.enabled = true), 1_000);
		const file_url = 'https://169.254.169.254/latest/meta-data';
		await used.answerResults([{ document_id: 'a', file_url, values: { Total: 1 } }]);

		const { error } = await list(FILE).finally(() => (protection.enabled = false));

		expect(error?.description).toContain('restricted IP address');
		expect(error?.description).toContain("that is under 'File URL Field'");
	});

	it('takes the first of several URLs, and names the file after it', async () => {
		const files = { file_urls: [{ url: PAGE }, { url: 'https://files.example/2' }] };
		await used.answerResults([{ document_id: 'a', ...files, values: { Total: 1 } }]);

		const { error } = await used.run(
			{ ...LIST, options: FILE },
			{ credential: { fileUrlField: 'file_urls[0].url' } },
		);

		// No such host is there: what it says names the one that was asked.
		expect(error?.message).toContain('storage');
		expect(JSON.stringify(error)).not.toContain('Signature');
	});

	it.each([
		[{ ...LIST, options: FILE }, { fileUrlField: '' }, "no line 'File URL Field'"],
		[{ ...EXTRACT, documentIds: 'a', options: FILE }, { fileUrlField: '' }, 'File URL Field'],
		[{ ...EXTRACT, options: FILE }, {}, "needs 'Document IDs'"],
		[{ ...EXTRACT, documentIds: 'a', wait: false, options: FILE }, {}, "needs 'Document IDs'"],
	])('stops before any request where it cannot work: %j', async (parameters, credential, said) => {
		const { error } = await used.run(parameters, { credential });

		expect(error?.message).toContain(said);
		expect(await used.control.requests()).toEqual([]);
	});
});
