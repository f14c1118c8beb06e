import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/service/faults';
import { SIGNED_DETAILS, type ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import { itemsWith, itemWith } from '../support/binary';
import { textFile } from '../support/files';
import { PROFILES } from '../support/serviceContract';
import { useService } from '../support/useService';
import { ApiReference, onTheWire } from './apiReference';

const upload = (parameters: INodeParameters): INodeParameters => ({
	resource: 'document',
	operation: 'upload',
	binaryPropertyName: '*',
	...parameters,
});

const LETTER = textFile('letter.txt');

describe.each(PROFILES)('uploading, as %s', (profile) => {
	const used = useService({ profile });

	it.each([
		{ by: 'id', field: 'collection_id' },
		{ by: 'name', field: 'collection_name' },
	] as const)(
		'places a document in a collection by its $by, or refuses before anything is sent',
		async ({ by, field }) => {
			const [, collection] = used.client.workflow.collections;
			const chosen = { __rl: true, mode: by, value: collection[by] };
			const run = async (uploadMethod: string) =>
				await used.run(upload({ collection: chosen, options: { uploadMethod } }), {
					items: [await itemWith(LETTER)],
				});

			await run('direct');
			const { error } = await run('signed');

			const reference = new ApiReference(used.service);
			const canCarry = reference.details.uploadUrlBody.includes(`{${field}}`);
			const carried = { [field]: collection[by] };
			const requests = (await used.control.requests()).slice(0, 2).map(onTheWire);
			expect(requests).toEqual([
				reference.upload(LETTER, carried),
				...(canCarry ? [reference.createUploadUrl(LETTER, carried)] : []),
			]);
			expect(error?.message ?? 'carried').toContain(canCarry ? 'carried' : `has no {${field}}`);
			const { uploads } = await used.control.ledger();
			expect(uploads.map(({ collectionId }) => collectionId)).toEqual(
				Array(canCarry ? 2 : 1).fill(collection.id),
			);
		},
	);

	const nothingBut = (detail?: ApiDetail) =>
		Object.fromEntries(
			SIGNED_DETAILS.map((one) => [
				one,
				one === detail ? used.service.account.apiDetails[one] || 'headers' : '',
			]),
		);
	const BOTH_WAYS = ['direct', 'signed'];
	const ONE_WAY = ['direct', 'direct'];
	const EMPTY = /^'API Details' in the credential has no line '.+', and this step needs it$/;

	it.each<{ what: string; credential: () => object; methods: string[]; refusal?: RegExp }>([
		{ what: 'all', credential: () => ({}), methods: BOTH_WAYS },
		{ what: 'none', credential: nothingBut, methods: ONE_WAY },
		...SIGNED_DETAILS.map((detail) => ({
			what: `only ${detail}`,
			credential: () => nothingBut(detail),
			methods: [],
			refusal: EMPTY,
		})),
		{
			what: 'an endpoint with a collection',
			credential: () => ({ uploadUrlEndpoint: 'POST /upload/{collection_id}' }),
			methods: [],
			refusal: /contains \{collection_id\}, for which this node has no usable value/,
		},
	])(
		'takes signed URLs from the size that is set, or refuses before a file is sent: API Details with $what',
		async ({ credential, methods, refusal = /^uploaded$/ }) => {
			const files = [999, 1000].map((size) => textFile(`${size}.txt`, 'x'.repeat(size)));

			const { error, output } = await used.run(upload({ options: { signedFromMb: 0.001 } }), {
				credential: credential(),
				items: [await itemWith(...files)],
			});

			expect(error?.message ?? 'uploaded').toMatch(refusal);
			expect(output.map(({ json }) => json.uploadMethod)).toEqual(methods);
			const requests = await used.control.requests();
			expect(requests.length > 0).toBe(methods.length > 0);
		},
	);
});

describe('uploading', () => {
	const used = useService({ profile: 'atlas' });

	const lettersWith = async (...jsons: IDataObject[]) =>
		await Promise.all(jsons.map(async (json) => ({ ...(await itemWith(LETTER)), json })));

	it('uses the workflow, the collection and the method of each item', async () => {
		const { main, second } = used.service.account.environments.test.workflows;
		const placed = [
			{ workflowId: main.id, collectionId: main.collections[0].id, method: 'direct' },
			{ workflowId: second.id, collectionId: second.collections[2].id, method: 'signed' },
		];

		await used.run(
			upload({
				collection: { __rl: true, mode: 'id', value: '={{ $json.collectionId }}' },
				options: {
					uploadMethod: '={{ $json.method }}',
					workflowId: '={{ $json.workflowId }}',
				},
			}),
			{ items: await lettersWith(...placed) },
		);

		const { uploads } = await used.control.ledger();
		expect(uploads.sort((a, b) => a.method.localeCompare(b.method))).toMatchObject(placed);
	});

	it.each<{ what: string; faults: FaultRule[]; operations: string }>([
		...[400, 403].flatMap((status) =>
			[1, undefined].map((times) => ({
				what: `waited and is refused with ${status} (times: ${times})`,
				faults: [
					{ match: { operation: 'putFile', times: 1 }, fault: { type: 'status', status: 503 } },
					{ match: { operation: 'putFile', times }, fault: { type: 'status', status } },
				] satisfies FaultRule[],
				operations: `createUploadUrl, putFile, putFile, createUploadUrl, putFile${times ? ', confirm' : ''}`,
			})),
		),
	])('asks anew, once, for an upload URL that $what', async ({ faults, operations }) => {
		await used.control.faults(faults);

		const { error, output } = await used.run(upload({ options: { uploadMethod: 'signed' } }), {
			items: [await itemWith(LETTER)],
		});

		const requests = await used.control.requests();
		expect(requests.map(({ operation }) => operation).join(', ')).toBe(operations);
		const { uploads, uploadUrls } = await used.control.ledger();
		const { documentId } = uploadUrls[1];
		expect(uploads).toMatchObject(error ? [] : [{ documentId, confirmed: true }]);
		expect(output.map(({ json }) => json.documentId)).toEqual(error ? [] : [documentId]);
		expect(error === undefined).toBe(operations.endsWith('confirm'));
	});

	it('names the two files of ten that the service refuses, and blames no field', async () => {
		const refusal = { message: 'This type of file is not allowed' };
		await used.answer('createUploadUrl', refusal, { skip: 3, times: 2 });
		const letters = Array.from({ length: 10 }, (_, n) => textFile(`${n}.txt`, `letter ${n}`));

		const { errorOutput, output } = await used.run(
			upload({ options: { uploadMethod: 'signed' } }),
			{
				items: [await itemWith(...letters)],
				onError: 'continueErrorOutput',
			},
		);

		expect(output).toHaveLength(8);
		expect(errorOutput).toHaveLength(2);
		for (const { json } of errorOutput) {
			expect(json.error).toMatch(/^The service gave no upload URL for \d\.txt$/);
			expect(json.message).toMatch(/^The service says: This type of file is not allowed\. No file/);
			expect(json.message).not.toContain('Upload URL Field');
		}
	});

	describe('an upload URL, or headers, that are not safe', () => {
		const run = async (body: object, credential: object = {}) => {
			await used.answer('createUploadUrl', body);
			const { error } = await used.run(upload({ options: { uploadMethod: 'signed' } }), {
				credential,
				items: [await itemWith(LETTER)],
			});
			const requests = await used.control.requests();
			expect(requests.map(({ operation }) => operation)).toEqual(['createUploadUrl']);
			return error;
		};
		const SAFE = 'https://storage.example/f?sig=1';

		it.each([
			{ url: 'http://storage.example/f?sig=1', message: 'it does not start with https://' },
			{ url: '/f?sig=1', message: 'has no upload URL' },
			// The URL, taken for the ID of the document.
			{ url: SAFE, documentIdField: 'upload_url', message: "'Document ID Field'" },
			{ url: SAFE, documentIdField: 'somewhere.else', message: "'Document ID Field'" },
		])('$url is refused and not shown: $message', async ({ url, message, ...credential }) => {
			const error = await run({ document_id: 'd1', upload_url: url, expires_at: '' }, credential);

			expect(error?.message).toContain(message);
			expect(error?.description).toContain('document_id, upload_url, expires_at');
			expect(JSON.stringify(error)).not.toContain('sig=1');
		});

		const NO_OBJECT = 'does not lead to an object of headers';
		const NO_HEADER = 'leads to something that cannot be sent as a header';

		it.each([
			{ what: 'nothing there', put: undefined, problem: NO_OBJECT },
			{ what: 'a list', put: [], problem: NO_OBJECT },
			{ what: 'a text', put: 'x', problem: NO_OBJECT },
			{ what: 'a key', put: { Authorization: 'Bearer other' }, problem: NO_HEADER },
			{ what: 'a line break', put: { 'x-a': 'b\r\nc: d' }, problem: NO_HEADER },
			{ what: 'a name that is none', put: { 'x a': 'b' }, problem: NO_HEADER },
			{ what: 'the API key', put: { 'x-a': 'KEY' }, problem: NO_HEADER },
		])('puts no file where the headers are $what', async ({ put, problem }) => {
			const apiKey = String(used.service.credential().apiKey);
			const details = { uploadUrlField: 'url', documentIdField: 'id', uploadHeadersField: 'put' };
			const body = JSON.stringify({ id: 'D-1', url: SAFE, put }).replace('KEY', apiKey);

			const error = await run(JSON.parse(body) as object, details);

			expect(error?.message).toContain(`The credential's line 'Upload Headers Field' ${problem}`);
			expect(error?.description).toContain('The response has: id, url');
			expect(JSON.stringify(error)).not.toContain(apiKey);
		});
	});
});

describe('an answer without the ID under the API Detail', () => {
	const used = useService({ profile: 'atlas' });
	const EXTRACT = { resource: 'extraction', operation: 'extractFromFiles' };
	const UPLOAD = upload({});
	const REFUSED = { success: false, error: 'PDF is password protected' };
	const SAID = 'The service says: PDF is password protected.';
	const letters = (count: number) =>
		Array.from({ length: count }, (_, index) => textFile(`letter-${index + 1}.txt`));

	const run = async (parameters: INodeParameters, field = 'somewhere.else', files = [LETTER]) =>
		await used.run(
			{ binaryPropertyName: '*', ...parameters },
			{ credential: { documentIdField: field }, items: [await itemWith(...files)] },
		);

	const textsOf = (hints: Array<{ message: string }>) => hints.map(({ message }) => message);

	it('still shows a direct upload, with the answer to look it up in', async () => {
		const { output, hints } = await run(UPLOAD);

		const [{ answer }] = await used.control.requests('upload');
		expect(output).toMatchObject([{ json: { documentId: null, response: answer } }]);
		expect(textsOf(hints)).toContainEqual(
			expect.stringMatching(
				new RegExp(
					[
						'^The response for letter.txt has .+',
						'Therefore, documentId is null in its output item; .+',
						'The response has: document_id, ',
					].join(' '),
				),
			),
		);
	});

	const SEVERAL = { skipped: [{ document_id: 'old' }], created: [{ document_id: 'new' }] };

	it.each([
		{ body: SEVERAL, field: 'document_id', has: 'skipped[0].document_id, created[0].document_id' },
		{
			body: { id: 'new', url: 'https://storage.example/a?sig=secret' },
			field: 'url',
			has: 'id, url',
		},
	])(
		"takes no ID that may be another document's or a URL, and asks for the path: '$field' in $body",
		async ({ body, field, has }) => {
			await used.answer('upload', body, { times: 1 });

			const { error } = await run(EXTRACT, field);

			expect(error?.message).toContain("has no document ID, or several, under 'Document ID Field'");
			expect(error?.description).toContain(has);
			expect(error?.description).not.toContain('secret');
			expect(await used.control.requests('extractBulk')).toEqual([]);
		},
	);

	it.each(['upload', 'extractFromFiles'])(
		'an item whose Max Concurrency is too low fails alone: %s',
		async (operation) => {
			const resource = operation === 'upload' ? 'document' : 'extraction';
			const items = await itemsWith(...letters(4));
			for (const [index, item] of items.entries()) item.json = { most: index === 0 ? -1 : 4 };

			const { output } = await used.run(
				{ resource, operation, options: { maxConcurrency: '={{ $json.most }}' } },
				{ items, onError: 'continueRegularOutput' },
			);

			const failed = output.map(({ json }) => json.error);
			expect(failed[0]).toBe("'Max Concurrency' must be a number from 1 to 100");
			expect(failed.slice(1)).toEqual([undefined, undefined, undefined]);
			expect(await used.control.requests('upload')).toHaveLength(3);
		},
	);

	it.each([0, 1])(
		'ends the uploads of Extract From Files after three, %s of them refused, so that no others go up in vain',
		async (refused) => {
			if (refused) await used.fault('upload', { type: 'status', status: 400 }, { times: 1 });

			const { output } = await used.run(EXTRACT, {
				credential: { documentIdField: 'somewhere.else' },
				items: await itemsWith(...letters(5)),
				onError: 'continueRegularOutput',
			});

			expect(await used.control.requests('upload')).toHaveLength(3);
			const noId = (file: string) =>
				`The response for ${file} has no document ID, or several, under 'Document ID Field'`;
			expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
				[0, 1, 2, 3, 4].map((item) => ({ item })),
			);
			expect(output.map(({ json }) => json.error).slice(refused)).toEqual(
				[
					...[1, 2, 3].map((number) => noId(`letter-${number}.txt`)),
					...[4, 5].map((number) => `The node did not try to upload letter-${number}.txt`),
				].slice(refused),
			);
			expect(output[4].json.message).toContain(
				`the response for letter-${refused + 1}.txt (item ${refused + 1} of 5)`,
			);
		},
	);

	it.each([0, 2, 39])(
		'is taken for what it is, a refusal of one file, where other responses have an ID: file %s of 40',
		async (index) => {
			await used.answer('upload', REFUSED, { skip: index, times: 1 });

			const { output, errorOutput } = await used.run(
				{ ...EXTRACT, binaryPropertyName: '*', simple: false },
				{ items: [await itemWith(...letters(40))], onError: 'continueErrorOutput' },
			);

			expect(output).toHaveLength(39);
			const [{ fileName }] = Object.values(errorOutput[0].binary ?? {});
			expect(errorOutput.map(({ json }) => json.error)).toEqual([
				`The service reports an error for ${fileName} (200)`,
			]);
			expect(errorOutput[0].json.message).toContain(SAID);
		},
	);
});
