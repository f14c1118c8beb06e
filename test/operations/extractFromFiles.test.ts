import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { binaryItem, itemWith, readBinary } from '../support/binary';
import { textFile } from '../support/files';
import type { RunOptions } from '../support/nodeEngine';
import { BINARY_MODES } from '../support/profiles';
import { useService } from '../support/useService';
import { letter } from './waitingRuns';

describe('Extract From Files', () => {
	const used = useService({ profile: 'borealis', extractionMs: 30, startMs: 10 });

	const extract = async (
		items: INodeExecutionData[],
		parameters: INodeParameters = {},
		settings: RunOptions = {},
	) =>
		await used.run(
			{ binaryPropertyName: '*', simple: false, ...parameters },
			{ items, ...settings },
		);

	/** @param skip how many uploads are accepted first */
	const refuseOneAfter = async (skip: number) => {
		const refusal = {
			type: 'status',
			status: 400,
			body: { detail: 'Unreadable document' },
		} as const;
		await used.fault('upload', refusal, { skip, times: 1 });
	};

	const ledger = async () => await used.control.ledger();

	it('extracts only the columns that each item asks for', async () => {
		const [number, supplier] = used.client.workflow.columns.map(({ id }) => String(id));
		const items = [await itemWith(letter(1)), await itemWith(letter(2)), await itemWith(letter(3))];
		const columns = [[number], [supplier], [number]];

		const { error, output } = await extract(
			items.map((item, index) => ({ ...item, json: { columns: columns[index] } })),
			{ options: { columnIds: '={{ $json.columns }}' } },
		);

		expect(error).toBeUndefined();
		const { extractions } = await ledger();
		const requested = extractions.map((extraction) => extraction.requested);
		expect(requested).toHaveLength(2);
		expect(requested).toMatchObject(
			expect.arrayContaining([
				{ document_ids: [expect.anything(), expect.anything()], column_ids: [number] },
				{ document_ids: [expect.anything()], column_ids: [supplier] },
			]),
		);
		const extracted = output.map(({ json }) => [
			(json.file as { name: string }).name,
			(json.extraction as { column: { column_id: string } }).column.column_id,
		]);
		expect(extracted).toEqual([
			['letter-1.txt', number],
			['letter-2.txt', supplier],
			['letter-3.txt', number],
		]);
	});

	describe('when a file fails and the node does not continue', () => {
		it('extracts nothing, begins no other upload, and names what is uploaded', async () => {
			await refuseOneAfter(2);

			const { error, output } = await extract(
				[
					await itemWith(letter(1), letter(2)),
					await itemWith(letter(3)),
					await itemWith(letter(4)),
				],
				{ options: { maxConcurrency: 1 } },
			);

			expect(output).toEqual([]);
			expect(error).toMatchObject({ context: { itemIndex: 1 } });
			const { uploads, extractions } = await ledger();
			expect(uploads.map(({ fileName }) => fileName)).toEqual(['letter-1.txt', 'letter-2.txt']);
			expect(error?.description).toContain('The service says: Unreadable document.');
			expect(error?.description).toContain(
				`Already uploaded, do not upload again: letter-1.txt (item 1 of 3): ${uploads[0].documentId}; letter-2.txt (item 1 of 3): ${uploads[1].documentId}.`,
			);
			expect(extractions).toEqual([]);
		});

		it('names every one of many, so that none is uploaded twice', async () => {
			await used.fault('upload', { type: 'status', status: 400 }, { skip: 79, times: 1 });
			const letters = Array.from({ length: 80 }, (_, index) => letter(index));

			const { error } = await extract(
				await Promise.all(letters.map(async (file) => await itemWith(file))),
				{ options: { maxConcurrency: 1 } },
			);

			const { uploads } = await ledger();
			expect(uploads).toHaveLength(79);
			const list = uploads
				.map(({ fileName, documentId }, index) => {
					return `${fileName} (item ${index + 1} of 80): ${documentId}`;
				})
				.join('; ');
			expect(error?.description).toContain(`Already uploaded, do not upload again: ${list}.`);
		});

		it('says after the reason what to do where the next click would upload again', async () => {
			await refuseOneAfter(2);

			const { error } = await extract(
				[await itemWith(letter(1)), await itemWith(letter(2)), await itemWith(letter(3))],
				{ options: { maxConcurrency: 1 } },
			);

			expect(error?.message).toBe('The service did not accept letter-3.txt (400)');
			const { uploads } = await ledger();
			expect(error?.description).toMatch(
				/^The service says: Unreadable document\. .* Running this step again would upload the files below a second time: remove them from the input first, and continue with them in Extraction › Extract Documents or Get Many\. The file: letter-3\.txt \(item 3 of 3\)\. Already uploaded/,
			);
			for (const { documentId } of uploads) expect(error?.description).toContain(documentId);
			expect(error).toMatchObject({ httpCode: '400', context: { itemIndex: 2 } });
		});

		it('says so wherever files are at the service, however far they have come', async () => {
			const wrong = { credential: used.service.credential({ valuesField: 'none' }) };
			const started = await extract([await itemWith(letter(1))], { simple: true }, wrong);
			await used.fault('extractBulk', { type: 'cutAfter' }, { times: 1 });
			const unknown = await extract([await itemWith(letter(3))]);
			const nameless = await extract([await itemWith(letter(4))], undefined, {
				credential: used.service.credential({ documentIdField: 'none' }),
			});
			await used.fault('confirm', { type: 'status', status: 400 });
			const stored = await extract([await itemWith(letter(1))], { uploadMethod: 'signed' });

			for (const { error } of [started, unknown, stored]) {
				expect(error?.description).toContain('would upload the files below a second time');
			}
			expect(nameless.error?.description).toMatch(/upload the file again only if it is missing\./);
			expect(nameless.error?.description).not.toContain('a second time');
		});

		it('says only what happened where nothing is uploaded', async () => {
			await used.fault('upload', { type: 'status', status: 400 });

			const { error } = await extract([await itemWith(letter(1))], {}, { executionMode: 'manual' });

			expect(error?.message).toBe('The service did not accept letter-1.txt (400)');
		});

		it.each(['fileAccess.pdf', 'approvePermission.pdf', 'EEXIST.pdf'])(
			'is not taken by n8n for a system error: %s',
			async (name) => {
				await used.fault('upload', { type: 'status', status: 400 });

				const { error } = await extract([await itemWith(textFile(name))]);

				expect(error?.message).toBe(`The service did not accept ${name} (400)`);
			},
		);

		it('names what may be uploaded as well, when another upload fails on the way', async () => {
			await used.control.faults([
				{
					match: { operation: 'upload', skip: 1, times: 1 },
					fault: { type: 'status', status: 400 },
				},
				{ match: { operation: 'upload', skip: 1, times: 1 }, fault: { type: 'cutAfter' } },
			]);

			// The first file goes alone; the other two are on their way together.
			const { error } = await extract([
				await itemWith(letter(1)),
				await itemWith(letter(2)),
				await itemWith(letter(3)),
			]);

			const { uploads } = await ledger();
			expect(uploads.map(({ fileName }) => fileName)).toEqual(['letter-1.txt', 'letter-3.txt']);
			expect(error).toMatchObject({ httpCode: '400', context: { itemIndex: 1 } });
			expect(error?.description).toContain(
				`Already uploaded, do not upload again: letter-1.txt (item 1 of 3): ${uploads[0].documentId}. Perhaps uploaded, check with Document › Get Many: letter-3.txt (item 3 of 3).`,
			);
		});

		it('names what is uploaded when the confirmation fails, too', async () => {
			await used.fault('confirm', { type: 'status', status: 400 });

			const { error } = await extract([await itemWith(letter(1))], { uploadMethod: 'signed' });

			const { uploads, extractions } = await ledger();
			expect(error?.description).toContain(
				`Uploaded, but still to be confirmed with Document › Confirm Upload: letter-1.txt: ${uploads[0].documentId}.`,
			);
			expect(extractions).toEqual([]);
		});
	});

	describe.each(BINARY_MODES)('when a file fails and the node continues, in %s', (mode) => {
		const failing = async (onError: 'continueRegularOutput' | 'continueErrorOutput') => {
			await refuseOneAfter(1);
			const items = await Promise.all(
				[1, 2, 3].map(async (number) =>
					binaryItem({
						json: { number },
						files: {
							[`file_${number}`]: letter(number),
							other: textFile('other', 'x', 'image/png'),
						},
						mode,
					}),
				),
			);
			return await extract(
				items,
				{ options: { maxConcurrency: 1, mimeTypes: 'text/*' } },
				{ onError, binaryMode: mode },
			);
		};

		it('keeps the failed item in its place, with its reason, its input and its file', async () => {
			const { error, output, errorOutput } = await failing('continueRegularOutput');

			expect(error).toBeUndefined();
			expect(errorOutput).toEqual([]);
			const order = output.map(({ pairedItem }) => (pairedItem as { item: number }).item);
			expect([...new Set(order)]).toEqual([0, 1, 2]);
			const failed = output.filter(({ json }) => json.error);
			expect(failed).toMatchObject([
				{
					json: {
						number: 2,
						error: 'The service did not accept letter-2.txt (400)',
						message: expect.stringContaining('The service says: Unreadable document.'),
						details: {
							httpCode: '400',
							file: { field: 'file_2', name: 'letter-2.txt', mimeType: 'text/plain' },
						},
					},
					pairedItem: { item: 1 },
				},
			]);
			expect(Object.keys(failed[0].binary ?? {})).toEqual(['file_2']);
			expect(await readBinary(failed[0], 'file_2')).toEqual(letter(2).data);
			const { extractions } = await ledger();
			expect(extractions.map(({ documentIds }) => documentIds.length)).toEqual([2]);
		});

		it('sends the failed item to the error output, with its input and its file', async () => {
			const { error, output, errorOutput } = await failing('continueErrorOutput');

			expect(error).toBeUndefined();
			const order = output.map(({ pairedItem }) => (pairedItem as { item: number }).item);
			expect([...new Set(order)]).toEqual([0, 2]);
			expect(errorOutput).toMatchObject([
				{
					json: {
						number: 2,
						error: 'The service did not accept letter-2.txt (400)',
						message: expect.stringMatching(
							/^The service says: Unreadable document\. If the file is the reason, repair it, or leave it out, e\.g\. with 'MIME Types' in the options\. File: letter-2\.txt\.$/,
						),
					},
					pairedItem: { item: 1 },
				},
			]);
			expect(await readBinary(errorOutput[0], 'file_2')).toEqual(letter(2).data);
		});
	});

	it('keeps the ID of a document whose extraction could not be started', async () => {
		const { noExtract } = used.client.environment.keys;

		const { output } = await extract(
			[await itemWith(letter(1)), await itemWith(letter(2))],
			{},
			{
				credential: used.service.credential({ apiKey: noExtract }),
				onError: 'continueRegularOutput',
			},
		);

		const { uploads } = await ledger();
		const ids = output.map(({ json }) => (json.details as { documentId: string }).documentId);
		expect(ids).toHaveLength(2);
		expect([...ids].sort()).toEqual(uploads.map(({ documentId }) => documentId).sort());
	});
});

describe('Extract From Files, where the service', () => {
	const used = useService({ profile: 'atlas', extractionMs: 5_000 });

	const answer = (body: unknown) => ({ type: 'status', status: 200, body }) as const;
	const page = (items: unknown[]) =>
		answer({ total: items.length, page: 1, limit: 200, pages: 1, items });
	const NO_RESULTS = page([]);
	const ONE_ID = { document_id: 'd1' };

	const extract = async (parameters: INodeParameters, options: object = {}) =>
		await used.run(
			{ binaryPropertyName: '*', simple: false, ...parameters },
			{ items: [await itemWith(letter(1), letter(2))], ...options },
		);

	it('makes one document of two files, extracts and reads it once, for both', async () => {
		await used.fault('upload', answer(ONE_ID));
		await used.fault('extractBulk', answer({}));
		const result = { document_id: 'd1', values: { Supplier: 'ACME' } };
		await used.fault('getDocuments', page([{ ...ONE_ID, extraction_status: 'completed' }]));
		await used.fault('getExtractions', page([result]));

		const { output, error } = await extract({ uploadMethod: 'direct' });

		expect(error).toBeUndefined();
		expect(
			output.map(({ json }) => [json.documentId, (json.file as { name: string }).name]),
		).toEqual([
			['d1', 'letter-1.txt'],
			['d1', 'letter-2.txt'],
		]);
		const [{ body }] = await used.control.requests('extractBulk');
		expect(body).toEqual({ document_ids: ['d1'] });
		const alone = await used.control.requests('getExtractions');
		await used.control.clearRequests();
		await extract({ uploadMethod: 'direct' }, { items: [await itemWith(letter(1))] });
		expect(alone).toHaveLength((await used.control.requests('getExtractions')).length);
	});

	it('gives two upload URLs of one document, confirms it once', async () => {
		const { url } = await used.client.createUploadUrl({
			file_name: 'a.txt',
			content_type: 'text/plain',
			file_size: 1,
		});
		await used.fault('createUploadUrl', answer({ document_id: 'd1', upload_url: url }));
		await used.fault('putFile', answer({}));
		await used.fault('confirm', answer({}));

		const { output, error } = await used.run(
			{
				resource: 'document',
				operation: 'upload',
				uploadMethod: 'signed',
				binaryPropertyName: '*',
			},
			{ items: [await itemWith(letter(1), letter(2))] },
		);

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json.documentId)).toEqual(['d1', 'd1']);
		const confirmations = await used.control.requests('confirm');
		expect(confirmations).toHaveLength(1);
		expect(JSON.stringify(confirmations[0].body).split('d1')).toHaveLength(2);
	});

	const FAILED = {
		...ONE_ID,
		extraction_status: 'failed',
		error: { code: 7, message: 'PDF is password protected' },
		title: 'letter.txt',
	};

	describe('could not extract a document, and says why in the list of documents', () => {
		const prepare = async () => {
			await used.fault('upload', answer(ONE_ID));
			await used.fault('extractBulk', answer({}));
			await used.fault('getDocuments', page([FAILED]));
			await used.fault('getExtractions', NO_RESULTS);
		};
		const one = async () => ({ items: [await itemWith(letter(1))] });

		it.each([
			['with Finished Statuses', { finishedStatuses: 'failed, done', workflowEndpoint: '' }, true],
			[
				'with Finished Statuses, simplified',
				{ finishedStatuses: 'failed', workflowEndpoint: '' },
				true,
			],
		])('the item says so as it stands there, %s', async (what, credential) => {
			await prepare();

			const { output, error } = await extract(
				{ uploadMethod: 'direct', simple: what.endsWith('simplified') },
				{ ...(await one()), credential },
			);

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => json)).toMatchObject([
				{ documentId: 'd1', extraction: null, extractionStatus: 'failed', document: FAILED },
			]);
		});

		it('the message says so where the extraction never seems to end', async () => {
			await prepare();

			const { error } = await extract(
				{ uploadMethod: 'direct' },
				{ ...(await one()), credential: { finishedStatuses: '', workflowEndpoint: '' } },
			);

			expect(error?.message).toBe('The extraction was not finished after 300 seconds');
			expect(error?.description).toContain(
				'In the list of documents, it is {"document_id":"d1","extraction_status":"failed","error":{"code":7,"message":"PDF is password protected"},"title":"letter.txt"}.',
			);
		});

		it('the item goes on without it where the list cannot be read', async () => {
			await used.fault('getDocuments', { type: 'status', status: 403 });
			const broken = textFile('broken.pdf', '%PDF-1.7 and no more', 'application/pdf');

			const { output, error } = await extract(
				{ uploadMethod: 'direct' },
				{ items: [await itemWith(broken)], credential: { finishedStatuses: '' } },
			);

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => json)).toMatchObject([{ extraction: null }]);
			expect(output[0].json).not.toHaveProperty('document');
		});
	});
});
