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

	describe('directly', () => {
		it.each([
			['list', 'id', 'collection_id'],
			['id', 'id', 'collection_id'],
			['name', 'name', 'collection_name'],
		] as const)('places documents in a collection chosen by %s', async (mode, key, formField) => {
			const [, collection] = used.client.workflow.collections;

			const { error } = await run(
				{
					uploadMethod: 'direct',
					collection: { __rl: true, mode, value: collection[key] },
				},
				[LETTER],
			);

			expect(error).toBeUndefined();
			const requests = await used.control.requests();
			expect(requests.map(onTheWire)).toEqual([
				new ApiReference(used.service).upload(LETTER, { [formField]: collection[key] }),
			]);
			const { uploads } = await used.control.ledger();
			expect(uploads).toMatchObject([
				{ collectionId: collection.id, collectionName: collection.name },
			]);
		});
	});

	it.each(['direct', 'signed'])(
		'takes a file whose base64 another node has broken into lines, %s',
		async (uploadMethod) => {
			const content = Buffer.from('Invoice number: 1\n'.repeat(500));
			const lines = content.toString('base64').replace(/.{76}/g, '$&\r\n');
			const file = { data: `${lines}\n`, fileName: 'lines.txt', mimeType: 'text/plain' };

			const { error, output } = await used.run(upload({ uploadMethod }), {
				items: [{ json: {}, binary: { file } }],
			});

			expect(error).toBeUndefined();
			expect(output[0].json.file).toMatchObject({ size: content.length });
			const { uploads } = await used.control.ledger();
			expect(uploads).toMatchObject([{ size: content.length, sha256: sha256(content) }]);
		},
	);

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

				const { error } = await run(
					{
						uploadMethod: 'signed',
						collection: { __rl: true, mode: key, value: collection[key] },
					},
					[LETTER],
				);

				const requests = await used.control.requests();
				const { uploads } = await used.control.ledger();
				const outcome = {
					message: error?.message,
					hasAdvice: /^So the collection cannot be passed on\./.test(error?.description ?? ''),
					firstRequest: requests.slice(0, 1).map(onTheWire),
					collections: uploads.map(({ collectionId }) => collectionId),
				};
				expect(outcome).toEqual(
					canCarry
						? {
								message: undefined,
								hasAdvice: false,
								firstRequest: [
									reference.createUploadUrl(LETTER, { [placeholder]: collection[key] }),
								],
								collections: [collection.id],
							}
						: {
								message: `'Upload URL Body' in the credential has no {${placeholder}}`,
								hasAdvice: true,
								firstRequest: [],
								collections: [],
							},
				);
			},
		);

		it('confirms 40 files of an item by one call where one call can name them all', async () => {
			const files = Array.from({ length: 40 }, (_, index) => textFile(`file-${index}.txt`));

			const { error, output } = await run({ uploadMethod: 'signed' }, files);

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => (json.file as { name: string }).name)).toEqual(
				files.map(({ fileName }) => fileName),
			);
			const ids = output.map(({ json }) => String(json.documentId));
			const requests = await used.control.requests('confirm');
			const expected = new ApiReference(used.service).confirm(ids);
			expect([1, 40]).toContain(expected.length);
			expect(requests.map(onTheWire)).toEqual(expect.arrayContaining(expected));
			expect(requests).toHaveLength(expected.length);

			const { uploads, confirmations } = await used.control.ledger();
			expect(uploads.every(({ confirmed }) => confirmed)).toBe(true);
			expect(confirmations.flatMap(({ documentIds }) => documentIds).sort()).toEqual(ids.sort());
		});

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

		it.each<[number, string]>([
			[400, 'ExpiredToken'],
			[403, 'AuthenticationFailed'],
		])('asks anew, once, for a URL that waited and is refused with %i', async (status, body) => {
			const refused = { type: 'status' as const, status, body };
			await used.control.faults([
				{ match: { operation: 'putFile', times: 1 }, fault: { type: 'status', status: 503 } },
				{ match: { operation: 'putFile', times: 1 }, fault: refused },
			]);

			const { error } = await run({ uploadMethod: 'signed' }, [LETTER]);

			expect(error).toBeUndefined();
			const putTwice = ['createUploadUrl', 'putFile', 'putFile', 'createUploadUrl', 'putFile'];
			expect(await operationsSeen()).toEqual([...putTwice, 'confirm']);

			await used.control.reset();
			await used.control.faults([
				{ match: { operation: 'putFile', times: 1 }, fault: { type: 'status', status: 503 } },
				{ match: { operation: 'putFile' }, fault: refused },
			]);

			const again = await run({ uploadMethod: 'signed' }, [LETTER]);

			expect(again.error?.message).toBe(`The storage refused the signed URL (${status})`);
			expect(await operationsSeen()).toEqual(putTwice);
		});

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

		it('asks for a URL when a slow storage has a place for its file, and not before', async () => {
			const files = Array.from({ length: 40 }, (_, index) => textFile(`file-${index}.txt`));
			// As long as a file takes, and not as long as two.
			await used.control.settings({ uploadUrlLifetimeMs: 2000 });
			await used.fault('putFile', { type: 'delay', ms: 1500 });

			const { error } = await run({ uploadMethod: 'signed' }, files);

			expect(error).toBeUndefined();
			const { uploads, uploadUrls } = await used.control.ledger();
			expect(uploads).toHaveLength(files.length);
			expect(uploadUrls).toHaveLength(files.length);
		});

		it('sends the headers that the service names with the file, and shows them nowhere', async () => {
			const { output, error } = await run({ uploadMethod: 'signed' }, [LETTER]);

			expect(error).toBeUndefined();
			expect((await used.control.ledger()).uploads).toHaveLength(1);
			expect(JSON.stringify(output)).not.toContain('BlockBlob');
			const without = await run({ uploadMethod: 'signed' }, [LETTER], { uploadHeadersField: '' });
			const needsHeaders = used.service.account.apiDetails.uploadHeadersField !== '';
			expect(without.error?.description?.includes('MissingRequiredHeader') ?? false).toBe(
				needsHeaders,
			);
			const { uploadUrls } = await used.control.ledger();
			expect(uploadUrls).toHaveLength(2);
		});
	});

	describe('automatically', () => {
		it('takes signed URLs from the size that is set, and direct uploads below', async () => {
			const { error, output } = await run({ options: FROM_1000_BYTES }, [SMALL, LARGE]);

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => json.uploadMethod)).toEqual(['direct', 'signed']);
			const { uploads } = await used.control.ledger();
			expect(
				uploads.map(({ fileName, method, confirmed }) => ({ fileName, method, confirmed })),
			).toEqual(
				expect.arrayContaining([
					{ fileName: SMALL.fileName, method: 'direct', confirmed: true },
					{ fileName: LARGE.fileName, method: 'signed', confirmed: true },
				]),
			);
		});

		it('uploads everything directly while no API Detail for signed uploads is filled in', async () => {
			const { error, output } = await run(
				{ options: FROM_1000_BYTES },
				[SMALL, LARGE],
				NO_SIGNED_DETAILS,
			);

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => json.uploadMethod)).toEqual(['direct', 'direct']);
		});

		const onlyFilledIn = async (detail: ApiDetail) =>
			await run({ options: FROM_1000_BYTES }, [SMALL, LARGE], {
				...NO_SIGNED_DETAILS,
				[detail]: used.service.account.apiDetails[detail] || 'headers',
			});

		it.each(SHOWN_AFTER_ANOTHER)(
			'uploads everything directly while only %s is filled in, which n8n does not show then',
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

	it('uses the settings of each item: workflow, collection and method', async () => {
		const { main, second } = used.service.account.environments.test.workflows;
		const runWith = async (parameters: INodeParameters, settings: IDataObject[]) => {
			const { error } = await used.run(
				upload({ ...parameters, options: { workflowId: '={{ $json.workflowId }}' } }),
				{
					items: await Promise.all(
						settings.map(async (json, index) =>
							binaryItem({ json, files: { data: textFile(`file-${index}.txt`) } }),
						),
					),
				},
			);
			expect(error).toBeUndefined();
			const { uploads } = await used.control.ledger();
			return uploads.slice(-2).sort((a, b) => a.fileName.localeCompare(b.fileName));
		};
		const placed = [
			{ workflowId: main.id, collectionId: main.collections[0].id },
			{ workflowId: second.id, collectionId: second.collections[2].id },
		];
		const sent = [
			{ workflowId: main.id, method: 'direct' },
			{ workflowId: second.id, method: 'signed' },
		];

		const collection = { __rl: true, mode: 'id', value: '={{ $json.collectionId }}' };
		const inCollections = await runWith({ uploadMethod: 'direct', collection }, placed);
		const byMethods = await runWith({ uploadMethod: '={{ $json.method }}' }, sent);

		expect(inCollections).toMatchObject(placed);
		expect(byMethods).toMatchObject(
			sent.map((settings) => ({ ...settings, collectionId: null, confirmed: true })),
		);
	});
});

describe('an answer without the ID under the API Detail', () => {
	const used = useService({ profile: 'atlas' });

	const run = async (parameters: INodeParameters, documentIdField = 'somewhere.else') =>
		await used.run(
			{ binaryPropertyName: '*', ...parameters },
			{ credential: { documentIdField }, items: [await itemWith(LETTER)] },
		);
	const EXTRACT = { resource: 'extraction', operation: 'extractFromFiles', uploadMethod: 'direct' };

	it('still shows a direct upload, with the answer to look it up in', async () => {
		const { output, hints } = await run(upload({ uploadMethod: 'direct' }));

		const [{ answer }] = await used.control.requests('upload');
		expect(output).toMatchObject([{ json: { documentId: null, response: answer } }]);
		expect(hints.map(({ message }) => message)).toContainEqual(
			expect.stringMatching(
				/^documentId is null\. The response to the upload of \S+ does not have exactly one document ID under 'Document ID Field'\. Enter the field .+ and the response has: document_id, /,
			),
		);
	});

	it('takes none of several IDs on one level, and asks for the path to the right one', async () => {
		const body = {
			skipped: [{ document_id: 'doc-old' }],
			created: [{ document_id: 'doc-new' }],
		};
		const answer = { type: 'status' as const, status: 201, body };

		await used.fault('upload', answer, { times: 1 });
		const { error } = await run(EXTRACT, 'document_id');
		await used.fault('upload', answer, { times: 1 });
		const shown = await run(upload({ uploadMethod: 'direct' }), 'document_id');
		await used.fault('upload', answer, { times: 1 });
		const byPath = await run(upload({ uploadMethod: 'direct' }), 'created[0].document_id');
		await used.fault(
			'upload',
			{ ...answer, body: { created: body.created, copies: body.created } },
			{ times: 1 },
		);
		const same = await run(upload({ uploadMethod: 'direct' }), 'document_id');

		expect(error?.message).toContain('exactly one document ID');
		expect(error?.description).toContain('skipped[0].document_id, created[0].document_id');
		expect(await used.control.requests('extractBulk')).toEqual([]);
		expect(shown.output).toMatchObject([{ json: { documentId: null, response: body } }]);
		expect(shown.hints.map(({ message }) => message)).toContainEqual(
			expect.stringContaining('exactly one document ID'),
		);
		expect(byPath.output).toMatchObject([{ json: { documentId: 'doc-new' } }]);
		expect(same.output).toMatchObject([{ json: { documentId: 'doc-new' } }]);
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
			const body = { name: 'letter.txt', duplicate_of: { document_id: 'doc_of_somebody' } };
			await used.fault('upload', { type: 'status', status: 200, body });

			const { error } = await run(EXTRACT, documentIdField);

			expect(error?.message).toContain("exactly one document ID under 'Document ID Field'");
			expect(await used.control.requests('extractBulk')).toEqual([]);
		},
	);

	it('fails Extract From Files, which says that the file is uploaded', async () => {
		const { error } = await run(EXTRACT);

		expect(error?.message).toContain("'Document ID Field'");
		expect(error?.description).toContain('The outcome is unknown');
		expect(await used.control.requests('extractBulk')).toEqual([]);
	});

	it.each([
		['', 0],
		[', also if the first one is refused', 1],
	])(
		'ends the uploads of Extract From Files after three%s: no other file goes up in vain',
		async (_, refused) => {
			const names = [1, 2, 3, 4, 5].map((number) => `letter-${number}.txt`);
			if (refused > 0)
				await used.fault('upload', { type: 'status', status: 400 }, { times: refused });

			const { output } = await used.run(
				{ ...EXTRACT, binaryPropertyName: '*' },
				{
					credential: { documentIdField: 'somewhere.else' },
					items: await Promise.all(names.map(async (name) => await itemWith(textFile(name)))),
					onError: 'continueRegularOutput',
				},
			);

			const requests = await used.control.requests('upload');
			expect(requests).toHaveLength(3);
			const noId = (number: number) =>
				`The response to the upload of letter-${number}.txt does not have exactly one document ID under 'Document ID Field'`;
			expect(output.map(({ json, pairedItem }) => [json.error, pairedItem]).slice(refused)).toEqual(
				[
					[noId(1), { item: 0 }],
					[noId(2), { item: 1 }],
					[noId(3), { item: 2 }],
					['The node did not try to upload letter-4.txt', { item: 3 }],
					['The node did not try to upload letter-5.txt', { item: 4 }],
				].slice(refused),
			);
			expect(output[4].json.message).toBe(
				`The response to the upload of letter-${refused + 1}.txt (item ${refused + 1} of 5) has no document ID under 'Document ID Field' in the credential, so the other files would also be uploaded in vain. Correct that field first, as the message about that file says, and then upload this one. File: letter-5.txt.`,
			);
		},
	);

	const REFUSED = { success: false, error: 'PDF is password protected' };

	it.each([0, 2, 39])(
		'is taken for what it is, a refusal of one file, where other responses have an ID: file %s of 40',
		async (index) => {
			await used.fault(
				'upload',
				{ type: 'status', status: 200, body: REFUSED },
				{ skip: index, times: 1 },
			);
			const files = Object.fromEntries(
				Array.from({ length: 40 }, (_, number) => [
					`file_${number}`,
					textFile(`letter-${number}.txt`, `Supplier: ${number}`),
				]),
			);

			const { output, errorOutput } = await used.run(
				{ ...EXTRACT, binaryPropertyName: '*', simple: false },
				{ items: [await binaryItem({ files })], onError: 'continueErrorOutput' },
			);

			expect(output).toHaveLength(39);
			const [{ fileName }] = Object.values(errorOutput[0].binary ?? {});
			expect(errorOutput.map(({ json }) => json)).toMatchObject([
				{
					error: `The response to the upload of ${fileName} does not have exactly one document ID under 'Document ID Field'`,
					message: expect.stringContaining('The service says: PDF is password protected.'),
				},
			]);
			expect(errorOutput[0].json.message).toContain("and not 'Document ID Field'");
		},
	);

	it('says what the service said, not only how its fields are called', async () => {
		await used.fault('upload', { type: 'status', status: 200, body: REFUSED });
		const direct = await run(EXTRACT, '');
		await used.fault('createUploadUrl', { type: 'status', status: 200, body: REFUSED });
		const signed = await run({ ...EXTRACT, uploadMethod: 'signed' }, '');

		expect(direct.error?.description).toContain('The service says: PDF is password protected.');
		expect(signed.error?.message).toContain('has no upload URL');
		expect(signed.error?.description).toContain('The service says: PDF is password protected.');
	});

	it('does not pass for an upload where another file ends the run', async () => {
		await used.fault('upload', { type: 'status', status: 200, body: REFUSED }, { times: 1 });
		await used.fault('upload', { type: 'status', status: 403 }, { skip: 1, times: 1 });
		const files = Object.fromEntries(
			['one', 'two', 'three'].map((name) => [name, textFile(`${name}.txt`)]),
		);

		const { error } = await used.run(upload({ uploadMethod: 'direct', binaryPropertyName: '*' }), {
			items: [await binaryItem({ files })],
		});

		expect(error?.description).toMatch(
			/Already uploaded, do not upload again: \w+\.txt: doc_\w+\./,
		);
		expect(error?.description).toMatch(
			/Perhaps uploaded, check with Document › Get Many: \w+\.txt\./,
		);
	});

	it('is no reason for Document › Upload to doubt the API Detail where others have an ID', async () => {
		await used.fault(
			'upload',
			{ type: 'status', status: 200, body: REFUSED },
			{ skip: 1, times: 1 },
		);
		const files = { one: textFile('one.txt'), two: textFile('two.txt') };

		const { hints } = await used.run(upload({ uploadMethod: 'direct', binaryPropertyName: '*' }), {
			items: [await binaryItem({ files })],
		});

		const messages = hints.map(({ message }) => message);
		expect(messages.join()).not.toContain('Check Setup');
		expect(messages).toContainEqual(
			expect.stringMatching(
				/^documentId is null\. The response to the upload of (one|two)\.txt does not have exactly one document ID under 'Document ID Field'\. The service says: PDF is password protected\. Other files of this run got an ID/,
			),
		);
	});
});

describe('an upload URL, or headers, that are not safe', () => {
	const used = useService({ profile: 'atlas' });

	it.each([
		[
			'http://storage.example/f?sig=1',
			'The node does not send the file to the upload URL: it does not start with https://',
		],
		['/f?sig=1', "The response has no upload URL under 'Upload URL Field' in the credential"],
	])('%s is refused: %s', async (url, message) => {
		await used.fault('createUploadUrl', {
			type: 'status',
			status: 200,
			body: { document_id: 'd1', upload_url: url },
		});

		const { error } = await used.run(upload({ uploadMethod: 'signed' }), {
			credential: { baseUrl: used.service.credential().baseUrl },
			items: [await itemWith(LETTER)],
		});

		expect(error?.message).toBe(message);
		expect(error?.description).toContain("'Upload URL Field'");
		expect(error?.description).not.toContain('sig=1');
		expect(await used.control.requests('putFile')).toEqual([]);
	});

	it('is not taken for the ID of the document, nor shown', async () => {
		const url = `${used.service.account.storageUrl}/documents/1?sig=1`;
		const body = { document_id: 'd1', upload_url: url };
		await used.fault('createUploadUrl', { type: 'status', status: 200, body });

		const { error } = await used.run(upload({ uploadMethod: 'signed' }), {
			credential: { uploadUrlField: 'upload_url', documentIdField: 'upload_url' },
			items: [await itemWith(LETTER)],
		});

		expect(error?.message).toContain("'Document ID Field'");
		expect(JSON.stringify(error)).not.toContain('sig=1');
		expect(await used.control.requests('putFile')).toEqual([]);
	});

	it('is asked for with placeholders in two braces, too', async () => {
		await used.run(
			{ resource: 'document', operation: 'createUploadUrl', fileName: 'a.pdf' },
			{ credential: { uploadUrlBody: '{"name": "{{ file_name }}"}' }, items: [{ json: {} }] },
		);

		const [{ body }] = await used.control.requests('createUploadUrl');
		expect(body).toEqual({ name: 'a.pdf' });
	});

	it.each<[string, object, string]>([
		['nothing there', {}, 'does not lead to an object of headers in the response'],
		['a list', { put: [] }, 'does not lead to an object of headers in the response'],
		['a text', { put: 'x' }, 'does not lead to an object of headers in the response'],
		[
			'a key',
			{ put: { Authorization: 'Bearer other' } },
			'leads to something that cannot be sent as a header',
		],
		['a line break', { put: { 'x-a': 'b\r\nc: d' } }, 'leads to something that cannot be sent'],
		['a name that is none', { put: { 'x a': 'b' } }, 'leads to something that cannot be sent'],
		['an object', { put: { 'x-a': {} } }, 'leads to something that cannot be sent'],
		['the API key', { put: { 'x-a': 'KEY' } }, 'leads to something that cannot be sent'],
	])('puts no file where the headers are %s', async (_, named, what) => {
		const credential = used.service.credential();
		const details = { uploadUrlField: 'url', documentIdField: 'id', uploadHeadersField: 'put' };
		const answer = { id: 'D-1', url: `${used.service.account.storageUrl}/documents/1?s=1` };
		const body = JSON.stringify({ ...answer, ...named }).replace('KEY', String(credential.apiKey));
		await used.fault('createUploadUrl', { type: 'status', status: 200, body });

		const { error } = await used.run(upload({ uploadMethod: 'signed' }), {
			credential: details,
			items: [await itemWith(LETTER)],
		});

		expect(error?.message).toContain(`The credential's field 'Upload Headers Field' ${what}`);
		expect(error?.description).toContain('The response has: id, url');
		expect(JSON.stringify(error)).not.toContain(String(credential.apiKey));
		expect((await used.control.requests()).map(({ operation }) => operation)).toEqual([
			'createUploadUrl',
		]);
	});
});

describe('a proxy on the way that wants a user and a password', () => {
	const used = useService({ profile: 'atlas' });
	const REFUSAL = {
		type: 'status',
		status: 407,
		body: 'Access denied',
		contentType: 'text/html',
	} as const;
	const FIVE = Array.from({ length: 5 }, (_, number) => textFile(`letter-${number}.txt`));

	it('is named, and no file is blamed for it', async () => {
		await used.control.faults([{ fault: REFUSAL }]);

		const { output } = await used.run(
			{ binaryPropertyName: '*', uploadMethod: 'direct' },
			{ items: [await itemWith(...FIVE)], onError: 'continueRegularOutput' },
		);

		expect(output).toHaveLength(5);
		for (const { json } of output) {
			expect(json.error).toBe(
				'The proxy between n8n and the service asks for a user and a password (407)',
			);
			expect(json.message).toMatch(
				/^Show this to whoever runs your n8n\. Nothing was sent to the service\. n8n takes its proxy from HTTPS_PROXY, .+http:\/\/user:password@proxy\.example\.com:3128/,
			);
			expect(json.message).not.toContain('unknown');
		}
	});

	it('is named where it stands before the storage', async () => {
		await used.fault('putFile', REFUSAL);

		const { error } = await used.run(upload({ uploadMethod: 'signed' }), {
			items: [await itemWith(LETTER)],
		});

		expect(error?.message).toBe(
			'The proxy between n8n and the storage asks for a user and a password (407)',
		);
		expect(error?.description).toContain('Nothing was sent to the storage');
	});

	it('is named in operations without files', async () => {
		await used.fault('getExtractions', REFUSAL);

		const { error } = await used.run({ resource: 'extraction', operation: 'getAll' });

		expect(error?.message).toContain('The proxy between n8n and the service');
		expect(await used.control.requests()).toHaveLength(1);
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

		const { error } = await confirm('name', '{"id": "{document_id}", "in": "{collection_name}"}');

		expect(error).toBeUndefined();
		const [{ body }] = await used.control.requests('confirm');
		expect(body).toEqual({ id: 'd1', in: 'Loan file' });
	});
});
