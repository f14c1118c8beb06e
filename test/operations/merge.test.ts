import { basename } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { atlas } from '../../dev/service/profiles/atlas';
import { borealis } from '../../dev/service/profiles/borealis';
import { linkedMerge } from '../../dev/service/profiles/variants';
import { readBinary } from '../support/binary';
import { pageWidths, pdfOfWidths, sha256 } from '../support/files';
import { useService } from '../support/useService';
import { ApiReference, onTheWire } from './apiReference';

const MERGE = { resource: 'collection', operation: 'merge' };

/**
 * What the user of each account copies from its API reference into the node: where an answer holds
 * the URL of the merged PDF, and the form of label_order. Where the answer is the PDF itself, there is
 * no such field, and nothing to download.
 */
const REFERENCES = [
	{
		answer: 'the PDF',
		profile: atlas,
		urlFields: ['', 'no.such.field'],
		downloadedFrom: undefined,
		labelOrder: (documents: Array<{ id: string }>) => documents.map(({ id }) => id),
	},
	{
		answer: 'an address in the storage',
		profile: borealis,
		urlFields: ['href', 'result.merged.href'],
		downloadedFrom: 'storage',
		labelOrder: (documents: Array<{ fileName: string }>) =>
			documents.map(({ fileName }) => fileName),
	},
	{
		answer: 'an address of the API',
		profile: { ...atlas, merge: linkedMerge },
		urlFields: ['url', 'payload.download.url'],
		downloadedFrom: 'api',
		labelOrder: (documents: Array<{ id: string }>) =>
			Object.fromEntries(documents.map(({ id }, position) => [id, position])),
	},
] as const;

describe.each(REFERENCES)('Merge Documents, answered with $answer', (reference) => {
	const used = useService({ profile: reference.profile });
	const { urlFields, downloadedFrom, labelOrder } = reference;
	const [downloadUrlField] = urlFields;

	const merge = async (value: string, options: INodeParameters, binaryPropertyName = 'data') => {
		const merged = { __rl: true, mode: 'list', value };
		return await used.run({ ...MERGE, collection: merged, options, binaryPropertyName });
	};

	/** PDFs whose pages can be told apart: 101 and 102, 201 and 202, … */
	const uploadPdfs = async (collectionId: string) => {
		const documents = [];
		for (const number of [1, 2, 3]) {
			const fileName = `document ${number}.pdf`;
			const bytes = await pdfOfWidths(number * 100 + 1, number * 100 + 2);
			const id = await used.client.uploadedId({ bytes, fileName }, { collection_id: collectionId });
			documents.push({ id, fileName });
		}
		return documents;
	};

	it.each([0, 1, 2])(
		'gives the PDFs of collection %i in order, with the bytes and name of the service, the key to it alone',
		async (number) => {
			const { id, name } = used.client.workflow.collections[number];
			await uploadPdfs(id);
			await used.client.upload({ bytes: 'no PDF', fileName: 'a.txt' }, { collection_id: id });
			await used.client.upload({ bytes: await pdfOfWidths(999), fileName: 'elsewhere.pdf' });

			const field = urlFields[number % urlFields.length];
			const { error, output } = await merge(id, { downloadUrlField: field }, 'merged');

			expect(error).toBeUndefined();
			expect(Object.entries(output[0].binary ?? {})).toMatchObject([
				['merged', { fileName: basename(`${name}.pdf`), mimeType: 'application/pdf' }],
			]);
			const file = await readBinary(output[0], 'merged');
			expect(await pageWidths(file)).toEqual([101, 102, 201, 202, 301, 302]);
			const { merges } = await used.control.ledger();
			expect(merges).toMatchObject([{ pages: 6, size: file.length, sha256: sha256(file) }]);
			const downloads = await used.control.requests('downloadMerged');
			const key = `Bearer ${used.client.environment.keys.full}`;
			const senders = downloads.map(({ server, headers }) => [server, headers.authorization]);
			const expected = { api: [['api', key]], storage: [['storage', undefined]] };
			expect(senders).toEqual(downloadedFrom ? expected[downloadedFrom] : []);
			// The answer stays beside the file; a signed URL that was followed is of no use any more.
			const [{ answer }] = await used.control.requests('merge');
			const kept = JSON.stringify(answer ?? { collectionId: id });
			expect(output[0].json).toEqual(
				JSON.parse(kept.replace(/https?:[^"?]+\?[^"]*/g, '(signed URL)')),
			);
		},
	);

	it('gives the pages in the order of the labels', async () => {
		const [{ id }] = used.client.workflow.collections;
		const [first, second, third] = await uploadPdfs(id);
		const order = labelOrder([third, first, second]);

		const { error, output } = await merge(id, {
			downloadUrlField,
			labelOrder: JSON.stringify(order),
		});

		expect(error).toBeUndefined();
		expect((await used.control.requests('merge')).map(onTheWire)).toEqual([
			new ApiReference(used.service).merge(id, { label_order: order }),
		]);
		const file = await readBinary(output[0], 'data');
		expect(await pageWidths(file)).toEqual([301, 302, 101, 102, 201, 202]);
	});
});

describe('merging', () => {
	const used = useService({ profile: 'atlas' });
	const COLLECTION = '7d0c1f2e-5a4b-4c3d-9e8f-0a1b2c3d4e5f';
	const merge = async (options: INodeParameters) =>
		await used.run({
			...MERGE,
			collection: { __rl: true, mode: 'id', value: COLLECTION },
			options,
		});

	it.each([
		['["b", "a"]', ['b', 'a']],
		['"by name"', 'by name'],
		['null', null],
		['={{ ["b", "a"] }}', ['b', 'a']],
	])('sends any JSON as label order: %s', async (entered, sent) => {
		await merge({ labelOrder: entered });

		expect((await used.control.requests('merge')).map(onTheWire)).toEqual([
			new ApiReference(used.service).merge(COLLECTION, { label_order: sent }),
		]);
	});

	it.each([
		['attachment; filename=plain.pdf', 'plain.pdf'],
		['attachment; filename="EUR.pdf"; filename*=UTF-8\'\'%E2%82%AC%20rates.pdf', '€ rates.pdf'],
		["attachment; filename*=utf-8'en'%C3%A9.pdf; filename=e.pdf", 'é.pdf'],
		['attachment; filename="plain.pdf"; filename*=UTF-8\'\'%zz', 'plain.pdf'],
		['attachment; filename="../../etc/passwd"', 'passwd'],
		["attachment; filename*=UTF-8''..%2F..%5Cmerged.pdf", 'merged.pdf'],
		['attachment; filename=".."', `${COLLECTION}.pdf`],
		['attachment', `${COLLECTION}.pdf`],
		[undefined, `${COLLECTION}.pdf`],
	])('reads the name of the document from the answer: %s', async (disposition, name) => {
		const headers: Record<string, string> = disposition
			? { 'content-disposition': disposition }
			: {};
		await used.fault('merge', {
			type: 'status',
			status: 200,
			body: '%PDF-1.7',
			contentType: 'application/pdf',
			headers,
		});

		const { error, output } = await merge({});

		expect(error).toBeUndefined();
		expect(output[0].binary?.data.fileName).toBe(name);
		expect(String(await readBinary(output[0], 'data'))).toBe('%PDF-1.7');
	});

	it('says which fields the answer has when none of them is the download URL', async () => {
		const body = { merged: { href: 'https://storage.example/1', pages: 1 } };
		await used.fault('merge', { type: 'status', status: 200, body });

		const { error, output } = await merge({ downloadUrlField: 'no.such.field' });

		expect(output).toEqual([]);
		expect(error?.message).toBe("'Download URL Field' leads to no usable URL: no URL is there");
		expect(error?.description).toContain('merged.href, merged.pages');
	});
});
