import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
	API_DETAILS,
	SIGNED_DETAILS,
	type ApiDetail,
} from '../../nodes/DocumentExtraction/account/apiDetails';
import { binaryItem, itemWith } from '../support/binary';
import { sha256, textFile, type TestFile } from '../support/files';
import { PROFILES } from '../support/profiles';
import { useService } from '../support/useService';
import { ApiReference, onTheWire } from './apiReference';

const upload = (parameters: INodeParameters): INodeParameters => ({
	resource: 'document',
	operation: 'upload',
	binaryPropertyName: '*',
	...parameters,
});

const LETTER = textFile('letter.txt');

/** The smallest size, in MB, from which Automatic is to prefer signed uploads: 1,000 bytes. */
const FROM_1000_BYTES = { signedFromMb: 0.001 };
const LARGE = textFile('large.txt', 'x'.repeat(1000));
const SMALL = textFile('small.txt', 'x'.repeat(999));

const NO_SIGNED_DETAILS = Object.fromEntries(SIGNED_DETAILS.map((detail) => [detail, '']));
/** n8n shows these once the field before them is filled in, and gives the node only what it shows. */
const SHOWN_AFTER_ANOTHER = SIGNED_DETAILS.filter((detail) => API_DETAILS[detail].shownWith);

describe.each(PROFILES)('uploading, as %s', (profile) => {
	const used = useService({ profile });

	const run = async (parameters: INodeParameters, files: TestFile[], credential = {}) =>
		await used.run(upload(parameters), { credential, items: [await itemWith(...files)] });

	const operationsSeen = async () =>
		(await used.control.requests()).map(({ operation }) => operation);

	it.each(['direct', 'signed'])(
		'keeps files apart whose fields are called alike, %s',
		async (uploadMethod) => {
			const files = {
				invoice: textFile('first.txt', 'first'),
				'invoice URL': textFile('second.txt', 'second'),
				'["invoice"]': textFile('third.txt', 'third'),
			};

			const { output, error } = await used.run(upload({ uploadMethod }), {
				items: [await binaryItem({ files })],
			});

			expect(error).toBeUndefined();
			const { uploads } = await used.control.ledger();
			expect(uploads.map(({ fileName, sha256: digest }) => [fileName, digest]).sort()).toEqual(
				Object.values(files).map(({ fileName, data }) => [fileName, sha256(data)]),
			);
			expect(new Set(output.map(({ json }) => json.documentId)).size).toBe(3);
			expect(JSON.stringify(output)).not.toMatch(/https?:/);
		},
	);

	it.each([
		['list', 'id', 'collection_id'],
		['id', 'id', 'collection_id'],
		['name', 'name', 'collection_name'],
	] as const)('places documents in a collection chosen by %s', async (mode, key, formField) => {
		const [, collection] = used.client.workflow.collections;
		const chosen = { __rl: true, mode, value: collection[key] };

		await run({ uploadMethod: 'direct', collection: chosen }, [LETTER]);

		const requests = await used.control.requests();
		expect(requests.map(onTheWire)).toEqual([
			new ApiReference(used.service).upload(LETTER, { [formField]: collection[key] }),
		]);
		const { uploads } = await used.control.ledger();
		expect(uploads).toMatchObject([{ collectionId: collection.id }]);
	});

	describe('by signed URL', () => {
		it.each([
			['id', 'collection_id'],
			['name', 'collection_name'],
		] as const)(
			'carries the collection by its %s, or refuses before anything is sent',
			async (key, placeholder) => {
				const [collection] = used.client.workflow.collections;
				const reference = new ApiReference(used.service);
				const canCarry = reference.details.uploadUrlBody.includes(`{${placeholder}}`);

				const chosen = { __rl: true, mode: key, value: collection[key] };
				const { error } = await run({ uploadMethod: 'signed', collection: chosen }, [LETTER]);

				const requests = (await used.control.requests()).slice(0, 1).map(onTheWire);
				const { uploads } = await used.control.ledger();
				const request = reference.createUploadUrl(LETTER, { [placeholder]: collection[key] });
				expect(error?.message ?? 'carried').toContain(
					canCarry ? 'carried' : `has no {${placeholder}}`,
				);
				expect(requests).toEqual(canCarry ? [request] : []);
				expect(uploads.map(({ collectionId }) => collectionId)).toEqual(
					canCarry ? [collection.id] : [],
				);
			},
		);

		it('confirms what no call can name together at the same time', async () => {
			const [first, second] = [
				used.client.workflow,
				used.service.account.environments.test.workflows.second,
			];
			const items = await Promise.all(
				[first, second].map(async ({ id }) => ({ ...(await itemWith(LETTER)), json: { id } })),
			);
			await used.fault('confirm', { type: 'delay', ms: 1_000 }, { path: first.id });

			const { error, output } = await used.run(
				upload({ uploadMethod: 'signed', options: { workflowId: '={{ $json.id }}' } }),
				{ items },
			);

			expect(error).toBeUndefined();
			const { confirmations } = await used.control.ledger();
			const [slow, quick] = output.map(({ json }) => json.documentId);
			expect(confirmations.map(({ documentIds }) => documentIds)).toEqual([[quick], [slow]]);
		});

		it('asks anew for an upload URL that has expired, and uploads the file once', async () => {
			await used.fault('createUploadUrl', { type: 'expireUploadUrls' }, { times: 1 });

			const { error, output } = await run({ uploadMethod: 'signed' }, [LETTER]);

			expect(error).toBeUndefined();
			expect(await operationsSeen()).toEqual([
				'createUploadUrl',
				'putFile',
				'createUploadUrl',
				'putFile',
				'confirm',
			]);
			const { uploads, uploadUrls } = await used.control.ledger();
			expect(uploads).toMatchObject([{ documentId: uploadUrls[1].documentId, confirmed: true }]);
			expect(output.map(({ json }) => json.documentId)).toEqual([uploadUrls[1].documentId]);
		});

		it.each([
			[400, 1],
			[403, 1],
			[400, undefined],
			[403, undefined],
		])(
			'asks anew, once, for a URL that waited and is refused with %i (times: %s)',
			async (status, times) => {
				await used.fault('putFile', { type: 'status', status: 503 }, { times: 1 });
				await used.fault('putFile', { type: 'status', status, body: 'ExpiredToken' }, { times });

				const { error } = await run({ uploadMethod: 'signed' }, [LETTER]);

				expect(error === undefined).toBe(times === 1);
				expect(await operationsSeen()).toEqual([
					...['createUploadUrl', 'putFile', 'putFile', 'createUploadUrl', 'putFile'],
					...(times === 1 ? ['confirm'] : []),
				]);
			},
		);

		it('sends files while others that have their places wait for their URLs', async () => {
			await used.fault('createUploadUrl', { type: 'delay', ms: 1000 });
			await used.fault('putFile', { type: 'delay', ms: 1000 });
			const files = Array.from({ length: 90 }, (_, index) => textFile(`file-${index}.txt`));
			const startedAt = performance.now();

			const { error } = await run({ uploadMethod: 'signed' }, files);

			expect(error).toBeUndefined();
			// 15 s where each URL is requested only when there is a place for its file.
			expect(performance.now() - startedAt).toBeLessThan(12_000);
		});
	});

	describe('automatically', () => {
		it('takes signed URLs from the size that is set, and direct uploads below', async () => {
			const { error, output } = await run({ options: FROM_1000_BYTES }, [SMALL, LARGE]);

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => json.uploadMethod)).toEqual(['direct', 'signed']);
		});

		const onlyFilledIn = async (detail?: ApiDetail) =>
			await run({ options: FROM_1000_BYTES }, [SMALL, LARGE], {
				...NO_SIGNED_DETAILS,
				...(detail && { [detail]: used.service.account.apiDetails[detail] || 'headers' }),
			});

		it.each([undefined, ...SHOWN_AFTER_ANOTHER])(
			'uploads everything directly while of the API Details for signed uploads n8n shows none (%s)',
			async (detail) => {
				const { error, output } = await onlyFilledIn(detail);

				expect(error).toBeUndefined();
				expect(output.map(({ json }) => json.uploadMethod)).toEqual(['direct', 'direct']);
			},
		);

		it.each(['uploadUrlEndpoint', 'confirmMethod'] as const)(
			'refuses a large file, before anything is sent, while only %s is filled in',
			async (detail) => {
				const { error } = await onlyFilledIn(detail);

				expect(error?.message).toMatch(
					/^The credential's field '.+' is empty, and this operation needs it$/,
				);
				expect(await operationsSeen()).toEqual([]);
			},
		);
	});

	const runEach = async (parameters: INodeParameters, settings: IDataObject[]) => {
		const items = settings.map(async (json, index) => {
			return { ...(await itemWith(textFile(`file-${index}.txt`))), json };
		});
		await used.run(upload({ ...parameters, options: { workflowId: '={{ $json.workflowId }}' } }), {
			items: await Promise.all(items),
		});
		const { uploads } = await used.control.ledger();
		return uploads.sort((a, b) => a.fileName.localeCompare(b.fileName));
	};

	it('uses the workflow and the collection of each item', async () => {
		const { main, second } = used.service.account.environments.test.workflows;
		const placed = [
			{ workflowId: main.id, collectionId: main.collections[0].id },
			{ workflowId: second.id, collectionId: second.collections[2].id },
		];
		const collection = { __rl: true, mode: 'id', value: '={{ $json.collectionId }}' };

		expect(await runEach({ uploadMethod: 'direct', collection }, placed)).toMatchObject(placed);
	});

	it('uses the workflow and the method of each item', async () => {
		const { main, second } = used.service.account.environments.test.workflows;
		const sent = [
			{ workflowId: main.id, method: 'direct' },
			{ workflowId: second.id, method: 'signed' },
		];

		expect(await runEach({ uploadMethod: '={{ $json.method }}' }, sent)).toMatchObject(sent);
	});
});

describe('an answer without the ID under the API Detail', () => {
	const used = useService({ profile: 'atlas' });
	const EXTRACT = { resource: 'extraction', operation: 'extractFromFiles', uploadMethod: 'direct' };
	const UPLOAD = upload({ uploadMethod: 'direct' });
	const REFUSED = { success: false, error: 'PDF is password protected' };
	const SAID = 'The service says: PDF is password protected.';

	const run = async (
		parameters: INodeParameters,
		documentIdField = 'somewhere.else',
		files = [LETTER],
	) =>
		await used.run(
			{ binaryPropertyName: '*', ...parameters },
			{ credential: { documentIdField }, items: [await itemWith(...files)] },
		);

	const answers = async (operation: 'upload' | 'createUploadUrl', body: object, skip = 0) =>
		await used.fault(operation, { type: 'status', status: 200, body }, { skip, times: 1 });

	const textsOf = (hints: Array<{ message: string }>) => hints.map(({ message }) => message);

	it('still shows a direct upload, with the answer to look it up in', async () => {
		const { output, hints } = await run(UPLOAD);

		const [{ answer }] = await used.control.requests('upload');
		expect(output).toMatchObject([{ json: { documentId: null, response: answer } }]);
		expect(textsOf(hints)).toContainEqual(
			expect.stringMatching(/^documentId is null\. .+ and the response has: document_id, /),
		);
	});

	const TWO_IDS = {
		skipped: [{ document_id: 'doc-old' }],
		created: [{ document_id: 'doc-new' }],
	};

	it('takes none of several IDs on one level, and asks for the path to the right one', async () => {
		await answers('upload', TWO_IDS);
		const { error } = await run(EXTRACT, 'document_id');
		await answers('upload', TWO_IDS);
		const shown = await run(UPLOAD, 'document_id');

		expect(error?.message).toContain('does not have exactly one document ID');
		expect(error?.description).toContain('skipped[0].document_id, created[0].document_id');
		expect(await used.control.requests('extractBulk')).toEqual([]);
		expect(shown.output).toMatchObject([{ json: { documentId: null, response: TWO_IDS } }]);
		expect(textsOf(shown.hints).join()).toContain('does not have exactly one document ID');
	});

	it.each([
		['the path to it', 'created[0].document_id', TWO_IDS],
		['its name, as they are the same', 'document_id', { a: TWO_IDS.created, b: TWO_IDS.created }],
	])('takes one of several IDs by %s', async (_, documentIdField, body) => {
		await answers('upload', body);

		const { output } = await run(UPLOAD, documentIdField);

		expect(output).toMatchObject([{ json: { documentId: 'doc-new' } }]);
	});

	it('stops a signed upload before the file is put, naming the API Detail', async () => {
		const { error } = await run(upload({ uploadMethod: 'signed' }));

		expect(error?.message).toContain("'Document ID Field'");
		expect(error?.description).toContain('document_id, upload_url, expires_at');
		expect(await used.control.requests('putFile')).toEqual([]);
	});

	it.each(['', 'document_id'])(
		"does not take another document's, with Document ID Field '%s'",
		async (documentIdField) => {
			await answers('upload', {
				name: 'letter.txt',
				duplicate_of: { document_id: 'doc_of_somebody' },
			});

			const { error } = await run(EXTRACT, documentIdField);

			expect(error?.message).toContain(
				"does not have exactly one document ID under 'Document ID Field'",
			);
			expect(await used.control.requests('extractBulk')).toEqual([]);
		},
	);

	it.each([
		['', 0],
		[', also if the first one is refused', 1],
	])(
		'ends the uploads of Extract From Files after three%s: no other file goes up in vain',
		async (_, refused) => {
			const files = [1, 2, 3, 4, 5].map((number) => textFile(`letter-${number}.txt`));
			if (refused) await used.fault('upload', { type: 'status', status: 400 }, { times: 1 });

			const { output } = await used.run(EXTRACT, {
				credential: { documentIdField: 'somewhere.else' },
				items: await Promise.all(files.map(async (data) => await binaryItem({ files: { data } }))),
				onError: 'continueRegularOutput',
			});

			expect(await used.control.requests('upload')).toHaveLength(3);
			const noId = (file: string) =>
				`The response to the upload of ${file} does not have exactly one document ID under 'Document ID Field'`;
			expect(output.map(({ json, pairedItem }) => [json.error, pairedItem]).slice(refused)).toEqual(
				[
					[noId('letter-1.txt'), { item: 0 }],
					[noId('letter-2.txt'), { item: 1 }],
					[noId('letter-3.txt'), { item: 2 }],
					['The node did not try to upload letter-4.txt', { item: 3 }],
					['The node did not try to upload letter-5.txt', { item: 4 }],
				].slice(refused),
			);
			expect(output[4].json.message).toContain(
				`The response to the upload of letter-${refused + 1}.txt (item ${refused + 1} of 5)`,
			);
		},
	);

	it.each([0, 2, 39])(
		'is taken for what it is, a refusal of one file, where other responses have an ID: file %s of 40',
		async (index) => {
			await answers('upload', REFUSED, index);
			const files = Array.from({ length: 40 }, (_, number) => textFile(`letter-${number}.txt`));

			const { output, errorOutput } = await used.run(
				{ ...EXTRACT, binaryPropertyName: '*', simple: false },
				{ items: [await itemWith(...files)], onError: 'continueErrorOutput' },
			);

			expect(output).toHaveLength(39);
			const [{ fileName }] = Object.values(errorOutput[0].binary ?? {});
			expect(errorOutput.map(({ json }) => json.error)).toEqual([
				`The response to the upload of ${fileName} does not have exactly one document ID under 'Document ID Field'`,
			]);
			expect(errorOutput[0].json.message).toContain(SAID);
			expect(errorOutput[0].json.message).toContain("and not 'Document ID Field'");
		},
	);

	it('says what the service said in place of an upload URL', async () => {
		await answers('createUploadUrl', REFUSED);

		const { error } = await run({ ...EXTRACT, uploadMethod: 'signed' }, '');

		expect(error?.message).toContain('has no upload URL');
		expect(error?.description).toContain(SAID);
	});

	const files = ['one', 'two', 'three'].map((name) => textFile(`${name}.txt`));

	it('does not pass for an upload where another file ends the run', async () => {
		await answers('upload', REFUSED);
		await used.fault('upload', { type: 'status', status: 403 }, { skip: 1, times: 1 });

		const { error } = await run(UPLOAD, '', files);

		expect(error?.description).toMatch(
			/Already uploaded, do not upload again: \w+\.txt: doc_\w+\./,
		);
		expect(error?.description).toMatch(/Perhaps uploaded, .+: \w+\.txt\./);
	});

	it('is no reason for Document › Upload to doubt the API Detail where others have an ID', async () => {
		await answers('upload', REFUSED, 1);

		const { hints } = await run(UPLOAD, '', files);

		expect(textsOf(hints).join()).not.toContain('Check Setup');
		expect(textsOf(hints)).toContainEqual(expect.stringContaining(SAID));
	});
});

describe('an upload URL, or headers, that are not safe', () => {
	const used = useService({ profile: 'atlas' });

	const run = async (body: object, credential: object = {}) => {
		await used.fault('createUploadUrl', { type: 'status', status: 200, body });
		const { error } = await used.run(upload({ uploadMethod: 'signed' }), {
			credential,
			items: [await itemWith(LETTER)],
		});
		const requests = await used.control.requests();
		expect(requests.map(({ operation }) => operation)).toEqual(['createUploadUrl']);
		return error;
	};
	const safeUrl = () => `${used.service.account.storageUrl}/documents/1?sig=1`;

	it.each([
		['http://storage.example/f?sig=1', 'it does not start with https://'],
		['/f?sig=1', "The response has no upload URL under 'Upload URL Field' in the credential"],
	])('%s is refused: %s', async (url, message) => {
		const error = await run({ document_id: 'd1', upload_url: url });

		expect(error?.message).toContain(message);
		expect(error?.description).toContain("'Upload URL Field'");
		expect(error?.description).not.toContain('sig=1');
	});

	it('is not taken for the ID of the document, nor shown', async () => {
		const details = { uploadUrlField: 'upload_url', documentIdField: 'upload_url' };

		const error = await run({ document_id: 'd1', upload_url: safeUrl() }, details);

		expect(error?.message).toContain("'Document ID Field'");
		expect(JSON.stringify(error)).not.toContain('sig=1');
	});

	const NO_OBJECT = 'does not lead to an object of headers in the response';
	const NO_HEADER = 'leads to something that cannot be sent as a header';

	it.each<[string, object, string]>([
		['nothing there', {}, NO_OBJECT],
		['a list', { put: [] }, NO_OBJECT],
		['a text', { put: 'x' }, NO_OBJECT],
		['a key', { put: { Authorization: 'Bearer other' } }, NO_HEADER],
		['a line break', { put: { 'x-a': 'b\r\nc: d' } }, NO_HEADER],
		['a name that is none', { put: { 'x a': 'b' } }, NO_HEADER],
		['an object', { put: { 'x-a': {} } }, NO_HEADER],
		['the API key', { put: { 'x-a': 'KEY' } }, NO_HEADER],
	])('puts no file where the headers are %s', async (_, named, what) => {
		const apiKey = String(used.service.credential().apiKey);
		const details = { uploadUrlField: 'url', documentIdField: 'id', uploadHeadersField: 'put' };
		const body = JSON.stringify({ id: 'D-1', url: safeUrl(), ...named }).replace('KEY', apiKey);

		const error = await run(JSON.parse(body) as object, details);

		expect(error?.message).toContain(`The credential's field 'Upload Headers Field' ${what}`);
		expect(error?.description).toContain('The response has: id, url');
		expect(JSON.stringify(error)).not.toContain(apiKey);
	});
});

describe('a proxy on the way that wants a user and a password', () => {
	const used = useService({ profile: 'atlas' });

	const headers = { 'proxy-authenticate': 'Basic realm="Head office"' };
	const REFUSAL = { type: 'status', status: 407, headers } as const;

	it('is named where it stands before the storage', async () => {
		await used.fault('putFile', REFUSAL);

		const items = [await itemWith(LETTER)];
		const { error } = await used.run(upload({ uploadMethod: 'signed' }), { items });

		expect(error?.message).toContain('The proxy between n8n and the storage');
		expect(error?.description).toContain('Nothing was sent to the storage');
	});

	it('is named, and no file is blamed for it', async () => {
		await used.control.faults([{ fault: REFUSAL }]);

		const { output } = await used.run(
			{ binaryPropertyName: '*', uploadMethod: 'direct' },
			{ items: [await itemWith(LARGE, SMALL, LETTER)], onError: 'continueRegularOutput' },
		);

		expect(output).toHaveLength(3);
		for (const { json } of output) {
			expect(json.error).toContain('asks for a user and a password (407)');
			expect(json.message).toContain('Nothing was sent to the service');
			expect(json.message).not.toContain('unknown');
		}
	});
});

describe('an upload URL that needs a collection', () => {
	const used = useService({ profile: 'atlas' });

	it('is noticed before the first file is sent', async () => {
		const { account } = used.service;
		const { error } = await used.run(
			{ resource: 'document', operation: 'upload', options: { signedFromMb: 0.001 } },
			{
				credential: { ...account.apiDetails, uploadUrlEndpoint: 'POST /upload/{collection_id}' },
				items: [
					await binaryItem({ files: { data: LETTER } }),
					await binaryItem({ files: { data: textFile('large.txt', 'x'.repeat(2_000)) } }),
				],
			},
		);

		expect(error?.message).toContain('contains {collection_id}, for which there is no value here');
		expect(await used.control.requests()).toEqual([]);
	});
});

describe('a collection that the confirmation has no place for', () => {
	const used = useService({ profile: 'atlas' });

	const confirm = async (mode: string, confirmBody: string) =>
		await used.run(
			{
				resource: 'document',
				operation: 'confirmUpload',
				documentIds: 'd1',
				collection: { __rl: true, mode, value: 'Loan file' },
			},
			{ credential: { confirmBody } },
		);

	it.each([
		['id', '{collection_id}'],
		['name', '{collection_name}'],
	])('is refused before anything is sent, by %s', async (mode, placeholder) => {
		const { error } = await confirm(mode, '{"ids": ["{document_id}"]}');

		expect(error?.message).toBe(`'Confirm Body' in the credential has no ${placeholder}`);
		expect(await used.control.requests()).toEqual([]);
	});

	it('is sent where it has one', async () => {
		await used.fault('confirm', { type: 'status', status: 200, body: {} });

		await confirm('name', '{"id": "{document_id}", "in": "{collection_name}"}');

		const [{ body }] = await used.control.requests('confirm');
		expect(body).toEqual({ id: 'd1', in: 'Loan file' });
	});
});
