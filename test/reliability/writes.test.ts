import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import { itemsWith, itemWith } from '../support/binary';
import { textFile } from '../support/files';
import { useService } from '../support/useService';

/** Writes: never twice, never called done when they may not be, and never all for one. */

const used = useService({ profile: 'atlas', extractionMs: 20, startMs: 5 });

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const UPLOAD = { resource: 'document', operation: 'upload', binaryPropertyName: '*' };
const UNKNOWN = 'The outcome is unknown: ';
const large = () => textFile('scan.txt', 'x'.repeat(5_000_000));
const letter = (name: string) => textFile(`${name}.txt`, `Document number: ${name}`);

const requestsOf = async (operation: Operation) => (await used.control.requests(operation)).length;

describe('a success that comes while the file is still being sent', () => {
	it('is none, and a direct upload is not made again', async () => {
		await used.answer('upload', { document_id: 'd1' });

		const { error } = await used.run(UPLOAD, { items: [await itemWith(large())], ...RETRY });

		expect(error?.message).toBe('The connection to the service broke');
		expect(error?.description).toContain(UNKNOWN);
		expect(await requestsOf('upload')).toBe(1);
	});

	it('is none at the storage, which gets the file again before it is confirmed', async () => {
		await used.control.settings({ uploadUrlUses: 100 });
		await used.answer('putFile', {}, { times: 2 });

		const { error, output } = await used.run(
			{ ...UPLOAD, options: { uploadMethod: 'signed' } },
			{ items: [await itemWith(large())] },
		);

		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
		const { uploads } = await used.control.ledger();
		expect(uploads).toMatchObject([{ size: 5_000_000, confirmed: true }]);
		expect(await requestsOf('putFile')).toBe(3);
	});
});

it.each([302, 303])(
	'an upload that is answered with %s is not made again by Retry On Fail',
	async (status) => {
		const location = 'https://elsewhere.example';
		await used.fault('upload', { type: 'redirect', status, location });

		const { error } = await used.run(UPLOAD, { items: [await itemWith(letter('a'))], ...RETRY });

		expect(error?.description).toContain(UNKNOWN);
		expect(await requestsOf('upload')).toBe(1);
	},
);

describe('a success by status that says that it is none', () => {
	const REPORTS = [
		{ success: false, error: 'Quota exceeded', document_id: 'd1' },
		{ error: { message: 'Quota exceeded' }, document_id: 'd1' },
		{ errors: ['Quota exceeded'], document_id: 'd1' },
	];
	const WRITES = {
		extractOne: { resource: 'extraction', operation: 'extractOne', documentId: 'd1' },
		extractBulk: {
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: 'd1',
			wait: true,
		},
		confirm: { resource: 'document', operation: 'confirmUpload', documentIds: 'd1' },
		upload: UPLOAD,
	} satisfies { [operation: string]: INodeParameters };
	const CASES = (Object.keys(WRITES) as Array<keyof typeof WRITES>).flatMap((operation) =>
		REPORTS.map((body) => ({ operation, body })),
	);

	it.each(CASES)('fails with its sentence: $operation, $body', async ({ operation, body }) => {
		await used.answer(operation, body);
		const startedAt = performance.now();

		const { error, output } = await used.run(WRITES[operation], {
			items: [await itemWith(letter('a'))],
			credential: { finishedStatuses: '' },
			...RETRY,
		});

		expect(output).toEqual([]);
		expect(error?.message).toMatch(
			/^The service reports an error for (the request|a\.txt) \(200\)$/,
		);
		expect(error?.description).toContain('The service says: Quota exceeded.');
		expect(error?.description).toContain(UNKNOWN);
		expect(await requestsOf(operation)).toBe(1);
		expect(performance.now() - startedAt).toBeLessThan(30_000);
	});

	it.each([
		{ error: null },
		{ errors: [], success: true },
		{ error: '', errors: {} },
		{ detail: 'Extraction started' },
		{ message: 'Accepted' },
		{ metadata: { error: 'none of ours' } },
	])('is one where it says nothing of a failure: %j', async (body) => {
		await used.answer('extractOne', body);

		const { error, output } = await used.run(WRITES.extractOne);

		expect(error).toBeUndefined();
		expect(output).toMatchObject([{ json: { started: true, response: body } }]);
	});
});

describe('signed uploads', () => {
	it('ask for one URL, in all tries of Retry On Fail, where the storage refuses it for good', async () => {
		await used.fault('putFile', { type: 'status', status: 403 });

		const { error } = await used.run(
			{ ...UPLOAD, options: { uploadMethod: 'signed' } },
			{ items: [await itemWith(letter('a'))], ...RETRY },
		);

		expect(error?.message).toBe('The storage refused the signed URL (403)');
		expect(await requestsOf('createUploadUrl')).toBe(1);
		expect(await requestsOf('putFile')).toBe(3);
	});

	it('send nothing where Confirm Body needs a collection, and none is chosen', async () => {
		const { error } = await used.run(
			{ ...UPLOAD, options: { uploadMethod: 'signed' } },
			{
				items: [await itemWith(letter('a'))],
				credential: { confirmBody: '{"ids": ["{document_id}/{collection_id}"]}' },
			},
		);

		expect(error?.message).toContain("'Confirm Body' contains {collection_id}");
		expect(await used.control.requests()).toEqual([]);
	});

	it("do not wait for the storage's refusals of another key", async () => {
		const { keys } = used.client.environment;
		const refusal = { type: 'status', status: 429, headers: { 'retry-after': '240' } } as const;
		await used.fault('putFile', refusal, { times: 1 });
		const signed = async (name: string, credential: object = {}) => {
			const startedAt = performance.now();
			const items = [await itemWith(letter(name))];
			const { error } = await used.run(
				{ ...UPLOAD, options: { uploadMethod: 'signed' } },
				{ items, credential },
			);
			expect(error).toBeUndefined();
			return performance.now() - startedAt;
		};
		const held = signed('held');
		await used.time.pass(1_000);

		const other = await signed('other', { apiKey: keys.noExtract });

		expect(other).toBeLessThan(30_000);
		expect(await held).toBeGreaterThan(240_000);
	});
});

describe('of documents that share a call, one that is refused fails alone', () => {
	const onError = 'continueRegularOutput';
	const REFUSED = 'The service cannot find what was requested (404)';

	it('in Extract Documents, where the others are started, also those of later calls', async () => {
		const { documentIds } = await used.control.seed({ documents: 5 });
		const ids = [...documentIds.slice(0, 2), 'unknown', ...documentIds.slice(2)];

		const { output } = await used.run(
			{
				resource: 'extraction',
				operation: 'extractDocuments',
				documentIds: '={{ $json.id }}',
				wait: true,
				options: { documentsPerCall: 3, force: true },
			},
			{ items: ids.map((id) => ({ json: { id } })), onError },
		);

		expect(output.map(({ json }) => json.error ?? [json.documentId, json.started])).toEqual(
			ids.map((id) => (id === 'unknown' ? REFUSED : [id, true])),
		);
		const { extractions } = await used.control.ledger();
		expect(extractions.flatMap((one) => one.documentIds).sort()).toEqual([...documentIds].sort());
	});

	it('in Extract Documents, where a call whose outcome is unknown holds no later one up', async () => {
		const { documentIds } = await used.control.seed({ documents: 4 });
		await used.fault('extractBulk', { type: 'cutAfter' }, { times: 1 });

		const { output } = await used.run(
			{
				resource: 'extraction',
				operation: 'extractDocuments',
				documentIds: documentIds.join(),
				options: { documentsPerCall: 2, force: true, maxConcurrency: 1 },
			},
			{ onError },
		);

		const failed = output.filter(({ json }) => json.error);
		expect(failed.map(({ json }) => String(json.message).includes(UNKNOWN))).toEqual([true, true]);
		expect(output.filter(({ json }) => json.started)).toHaveLength(2);
		expect(await requestsOf('extractBulk')).toBe(2);
	});

	it('in Extract From Files, which gives the values of the others', async () => {
		const files = ['one', 'two', 'three'].map(letter);
		await used.fault('extractBulk', { type: 'status', status: 422 }, { times: 1 });
		await used.fault('extractBulk', { type: 'status', status: 422 }, { times: 1 });

		const { output } = await used.run(
			{ simple: false, options: { maxConcurrency: 1 } },
			{ items: await itemsWith(...files), onError },
		);

		expect(output.map(({ json }) => Boolean(json.error))).toEqual([true, false, false]);
		const { extractions } = await used.control.ledger();
		expect(extractions.map(({ documentIds }) => documentIds.length)).toEqual([1, 1]);
	});

	it('in Confirm Upload, where each document has an item', async () => {
		const stored = [
			await used.client.storedId(letter('a')),
			await used.client.storedId(letter('b')),
		];

		const { output } = await used.run(
			{
				resource: 'document',
				operation: 'confirmUpload',
				documentIds: [stored[0], 'unknown', stored[1]].join(),
			},
			{ onError },
		);

		expect(output.map(({ json }) => json.error ?? json.documentId)).toEqual([
			stored[0],
			REFUSED,
			stored[1],
		]);
	});

	it('and stops the run where it does not continue on fail, with nothing started', async () => {
		await used.fault('extractBulk', { type: 'status', status: 422 }, { times: 1 });

		const { error } = await used.run({}, { items: await itemsWith(letter('a'), letter('b')) });

		expect(error?.description).toContain('Already uploaded; do not upload again');
		expect((await used.control.ledger()).extractions).toEqual([]);
	});
});

it('tries the good files of a run whose first three are damaged', async () => {
	const files = Array.from({ length: 10 }, (_, index) => letter(`letter-${index}`));
	const damaged = { success: false, error: 'PDF is password protected' };
	await used.answer('upload', damaged, { times: 3 });

	const { output } = await used.run(
		{ simple: false },
		{ items: await itemsWith(...files), onError: 'continueRegularOutput' },
	);

	expect(output.map(({ json }) => Boolean(json.error))).toEqual(files.map((_, index) => index < 3));
});

describe('the stack of a failed write names the operation, the item and the file', () => {
	const SIGNED = { ...UPLOAD, options: { uploadMethod: 'signed' } };

	it.each<[Operation, INodeParameters, skip: number, called: string]>([
		['upload', UPLOAD, 1, 'upload, item 2, data, b.txt: broken'],
		['createUploadUrl', SIGNED, 1, 'upload URL, item 2, data, URL 1, b.txt: broken'],
		['putFile', SIGNED, 1, 'put, item 2, data, b.txt: response'],
		['extractBulk', {}, 0, 'extraction, all items: broken'],
	])('of %s', async (operation, parameters, skip, called) => {
		const fault: Fault =
			operation === 'putFile' ? { type: 'status', status: 404 } : { type: 'cutAfter' };
		await used.fault(operation, fault, { skip });

		const items = await itemsWith(letter('a'), letter('b'));
		const { error } = await used.run(parameters, { items });

		expect(error?.stack).toContain(called);
		expect(error?.stack).toContain('.operation');
	});
});
