import type { Fault, FaultRule } from '../../dev/service/faults';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import type { RunOptions } from '../support/nodeEngine';
import { useVirtualService } from '../support/useService';

const used = useVirtualService();

const RETRIES = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

const success = (body: object): Fault => ({ type: 'status', status: 200, body });

/** Uploads where signing gives these documents, one after the other, and everything else succeeds. */
async function upload(
	names: string[],
	documentIds: string[],
	credential: { uploadUrlEndpoint: string; confirmBody: string },
	{ faults = [], ...run }: Partial<RunOptions> & { faults?: FaultRule[] } = {},
) {
	const file = { file_name: 'a.txt', content_type: 'text/plain', file_size: 5 };
	const { url } = await used.client.createUploadUrl(file);
	await used.control.clearRequests();
	const signs = documentIds.map((id): FaultRule => {
		const fault = success({ document_id: id, upload_url: url });
		return { match: { path: '/sign$', times: 1 }, fault };
	});
	await used.control.faults([...signs, ...faults, { fault: success({}) }]);
	const files = Object.fromEntries(names.map((name) => [name[0], textFile(name)]));

	const { error, output } = await used.run(
		{
			resource: 'document',
			operation: 'upload',
			binaryPropertyName: '*',
			options: { uploadMethod: 'signed' },
		},
		{
			credential: { confirmMethod: 'POST', ...credential },
			items: [await binaryItem({ files })],
			...run,
		},
	);

	const requests = await used.control.requests();
	const confirmed = requests.filter(({ path }) => path.endsWith('/confirm'));
	return {
		error,
		documents: output.map(({ json }) => json.documentId),
		methods: requests.map(({ method }) => method),
		confirmed: confirmed.map(({ body }) => body),
	};
}

it.each([
	{ what: '', run: {}, confirmed: ['doc1'] },
	{
		what: ', also with Retry On Fail',
		run: { ...RETRIES, faults: [{ match: { path: '/confirm$' }, fault: { type: 'cutAfter' } }] },
		confirmed: [],
	},
] satisfies Array<{ what: string; run: Parameters<typeof upload>[3]; confirmed: string[] }>)(
	'a file goes to the document that is confirmed, where a GET signs$what',
	async ({ run, confirmed }) => {
		const found = await upload(
			['a.txt'],
			['doc1', 'doc2'],
			{ uploadUrlEndpoint: 'GET /workflows/{workflow_id}/sign', confirmBody: '["{document_id}"]' },
			run,
		);

		expect(found.methods).toEqual(['GET', 'PUT', 'POST']);
		expect(found.confirmed).toEqual([['doc1']]);
		expect(found.documents).toEqual(confirmed);
		expect(found.error === undefined).toBe(confirmed.length === 1);
	},
);

it('two files that are one document are confirmed once', async () => {
	const found = await upload(['a.txt', 'b.txt'], ['same', 'same'], {
		uploadUrlEndpoint: 'POST /workflows/{workflow_id}/sign',
		confirmBody: '{"docs": [{"id": "{document_id}", "name": "{file_name}"}]}',
	});

	expect(found.error).toBeUndefined();
	expect(found.confirmed).toEqual([{ docs: [{ id: 'same', name: 'b.txt' }] }]);
	expect(found.documents).toEqual(['same', 'same']);
});

it('what was held back after a start in doubt is not sent by a later try', async () => {
	await used.fault('extractBulk', { type: 'cutBefore' });

	const { error } = await used.run(
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: 'a,b',
			options: { documentsPerCall: 1, maxConcurrency: 1 },
		},
		RETRIES,
	);

	expect(error?.description).toContain('The outcome is unknown');
	const calls = await used.control.requests('extractBulk');
	expect(calls.map(({ body }) => body)).toEqual([{ document_ids: ['a'] }]);
});
