import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/service/faults';
import { BINARY_MODES, binaryItem, itemsWith, itemWith, readBinary } from '../support/binary';
import { sample, sha256, textFile } from '../support/files';
import type { RunOptions } from '../support/nodeEngine';
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

	const REFUSAL = { type: 'status', status: 400, body: { detail: 'Unreadable document' } } as const;
	const refuseOneAfter = async (skip: number) =>
		await used.fault('upload', REFUSAL, { skip, times: 1 });

	const ledger = async () => await used.control.ledger();

	it('extracts only the columns that each item asks for', async () => {
		const [number, supplier] = used.client.workflow.columns.map(({ id }) => String(id));
		const items = await itemsWith(letter(1), letter(2), letter(3));
		[number, supplier, number].forEach((column, index) => (items[index].json = { column }));

		const { output } = await extract(items, { options: { columnIds: '={{ [$json.column] }}' } });

		expect((await ledger()).extractions).toHaveLength(2);
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
				[await itemWith(letter(1), letter(2)), ...(await itemsWith(letter(3), letter(4)))],
				{ options: { maxConcurrency: 1 } },
			);

			expect(output).toEqual([]);
			expect(error).toMatchObject({ context: { itemIndex: 1 } });
			const { uploads, extractions } = await ledger();
			expect(uploads.map(({ fileName }) => fileName)).toEqual(['letter-1.txt', 'letter-2.txt']);
			expect(error?.description).toContain('The service says: Unreadable document.');
			expect(error?.description).toContain(
				[
					'Already uploaded; do not upload again:',
					`letter-1.txt (item 1 of 3): ${uploads[0].documentId};`,
					`letter-2.txt (item 1 of 3): ${uploads[1].documentId}.`,
				].join(' '),
			);
			expect(extractions).toEqual([]);
		});

		it.each<{ what: string; rule: FaultRule; parameters?: INodeParameters; said: string[] }>([
			{
				what: 'some are extracted',
				rule: { match: { operation: 'extractBulk', skip: 1, times: 1 }, fault: REFUSAL },
				parameters: { options: { columnIds: '={{ [$json.column] }}', maxConcurrency: 1 } },
				said: ['extraction started; ', ': letter-1.txt ', 'Already uploaded; ', ': letter-2.txt '],
			},
			{
				what: 'the extraction may have started',
				rule: { match: { operation: 'extractBulk' }, fault: { type: 'cutAfter' } },
				said: ['may have started. ', 'Already uploaded; ', ': letter-1.txt '],
			},
			{
				what: 'results cannot be read',
				rule: { match: { operation: 'getExtractions' }, fault: { type: 'status', status: 404 } },
				said: ['extraction started; ', ': letter-1.txt '],
			},
			{
				what: 'some files are to be confirmed',
				rule: { match: { operation: 'confirm' }, fault: { type: 'status', status: 403 } },
				parameters: { options: { signedFromMb: 0.001 } },
				said: [
					'Already uploaded; ',
					': letter-1.txt ',
					'perhaps not confirmed ',
					': letter-3.txt ',
				],
			},
		])(
			'says after the reason which files another run would upload again: $what',
			async ({ rule, parameters, said }) => {
				const columns = used.client.workflow.columns.map(({ id }) => String(id));
				const large = textFile('letter-3.txt', 'x'.repeat(2_000));
				const items = await itemsWith(letter(1), letter(2), large);
				await used.control.faults([rule]);

				const { error } = await extract(
					items.map((item, index) => ({ ...item, json: { column: columns[index] } })),
					{ options: { maxConcurrency: 1 }, ...parameters },
				);

				const inOrder = [...said, 'Do not upload the files that are listed'].join('.*');
				expect(error?.description).toMatch(new RegExp(inOrder));
			},
		);

		it.each(['fileAccess.pdf', 'approvePermission.pdf', 'EEXIST.pdf'])(
			'is not taken by n8n for a system error: %s',
			async (name) => {
				await used.fault('upload', { type: 'status', status: 400 });

				const { error } = await extract([await itemWith(textFile(name))]);

				expect(error?.message).toBe(`The service did not accept ${name} (400)`);
			},
		);

		it('names what may be uploaded as well, when another upload fails on the way', async () => {
			await refuseOneAfter(1);
			await used.fault('upload', { type: 'cutAfter' }, { skip: 1, times: 1 });

			// The first file goes alone; the other two are on their way together.
			const { error } = await extract(await itemsWith(letter(1), letter(2), letter(3)));

			const { uploads } = await ledger();
			expect(uploads.map(({ fileName }) => fileName)).toEqual(['letter-1.txt', 'letter-3.txt']);
			expect(error).toMatchObject({ httpCode: '400', context: { itemIndex: 1 } });
			expect(error?.description).toContain(
				[
					`Already uploaded; do not upload again: letter-1.txt (item 1 of 3): ${uploads[0].documentId}.`,
					'Perhaps uploaded (look with Document › Get Many): letter-3.txt (item 3 of 3).',
				].join(' '),
			);
		});

		it('names no file whose URL was asked for in vain, which cannot be uploaded', async () => {
			await used.fault('createUploadUrl', { type: 'status', status: 500 }, { skip: 1 });
			const items = await itemsWith(letter(1), letter(2), letter(3));
			const { error } = await extract(items, {
				options: { uploadMethod: 'signed', maxConcurrency: 1 },
			});
			expect(error?.description).toMatch(/No file was sent(?!.*Perhaps uploaded)/s);
		});
	});

	it('keeps a failed item in its place, with its reason, its input and its file', async () => {
		await refuseOneAfter(1);
		const items = [1, 2, 3].map(async (number) => {
			const other = textFile('other', 'x', 'image/png');
			return await binaryItem({
				json: { number },
				files: { [`file_${number}`]: letter(number), other },
			});
		});

		const { output, errorOutput } = await extract(
			await Promise.all(items),
			{ options: { maxConcurrency: 1, mimeTypes: 'text/*' } },
			{ onError: 'continueRegularOutput' },
		);

		expect(errorOutput).toEqual([]);
		const order = output.map(({ pairedItem }) => (pairedItem as { item: number }).item);
		expect([...new Set(order)]).toEqual([0, 1, 2]);
		const failed = output.filter(({ json }) => json.error);
		const file = { field: 'file_2', name: 'letter-2.txt', mimeType: 'text/plain' };
		expect(failed).toMatchObject([
			{ json: { number: 2, details: { httpCode: '400', file } }, pairedItem: { item: 1 } },
		]);
		expect(Object.keys(failed[0].binary ?? {})).toEqual(['file_2']);
		expect(await readBinary(failed[0], 'file_2')).toEqual(letter(2).data);
		const { extractions } = await ledger();
		expect(extractions.map(({ documentIds }) => documentIds.length)).toEqual([2]);
	});
});

describe('Extract From Files, where the service', () => {
	const used = useService({ profile: 'atlas', extractionMs: 5_000 });

	const answer = (body: unknown) => ({ type: 'status', status: 200, body }) as const;
	const page = (items: unknown[]) =>
		answer({ total: items.length, page: 1, limit: 200, pages: 1, items });
	const ONE_ID = { document_id: 'd1' };

	const extract = async (parameters: INodeParameters, options: object = {}) =>
		await used.run(
			{ binaryPropertyName: '*', simple: false, ...parameters },
			{ items: [await itemWith(letter(1), letter(2))], ...options },
		);

	const makesOneDocument = async (listed: object, results: unknown[]) => {
		await used.fault('upload', answer(ONE_ID));
		await used.fault('extractBulk', answer({}));
		await used.fault('getDocuments', page([{ ...ONE_ID, ...listed }]));
		await used.fault('getExtractions', page(results));
	};

	it('makes one document of two files, extracts and reads it once, for both', async () => {
		const result = { ...ONE_ID, values: { Supplier: 'ACME' } };
		await makesOneDocument({ extraction_status: 'completed' }, [result]);

		const { output, error } = await extract({});

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
		await extract({}, { items: [await itemWith(letter(1))] });
		expect(alone).toHaveLength((await used.control.requests('getExtractions')).length);
	});

	describe('could not extract a document, and says why in the list of documents', () => {
		const FAILED = {
			...ONE_ID,
			extraction_status: 'failed',
			error: { code: 7, message: 'PDF is password protected' },
			title: 'letter.txt',
		};
		const extractOne = async (credential: object, options: INodeParameters = {}) => {
			await makesOneDocument(FAILED, []);
			const items = [await itemWith(letter(1))];
			const simple = 'requiredColumns' in options;
			return await extract({ options, simple }, { items, credential });
		};

		it('the item says so as it stands there', async () => {
			const credential = { finishedStatuses: 'failed', workflowEndpoint: '', rows: 'a' };
			const { output } = await extractOne(credential);
			const { error } = await extractOne(credential, {
				requiredColumns: { columns: [{ column: 'Total' }] },
			});

			expect(error?.description).toMatch(
				/^The status of the document at the service is: failed\. The service returned no values at all/,
			);
			expect(output.map(({ json }) => json)).toMatchObject([
				{ documentId: 'd1', extraction: null, extractionStatus: 'failed', document: FAILED },
			]);
		});

		it('the message says so where the extraction never seems to end', async () => {
			const { error } = await extractOne({ finishedStatuses: '', workflowEndpoint: '' });

			expect(error?.message).toBe('The extraction was not finished after 300 seconds');
			expect(error?.description).toContain(
				[
					'The service says: PDF is password protected.',
					'The node waited for document d1.',
					'The last status that the node saw was: failed.',
					'The extraction may still',
				].join(' '),
			);
			expect(error?.description).not.toContain('{');
		});

		const FAILED_STATUSES = {
			finishedStatuses: 'done',
			failedStatuses: 'failed',
			rows: 'a',
		};

		it.each([{}, { requiredColumns: { columns: [{ column: 'Total' }] } }])(
			'the document fails where Failed Statuses contain its status, with %j',
			async (options) => {
				await makesOneDocument(FAILED, []);
				const parameters = { options, simple: true };
				const items = [await itemWith(letter(1))];
				const settings = {
					items,
					credential: FAILED_STATUSES,
					onError: 'continueErrorOutput',
				} as const;

				const { output, errorOutput } = await extract(parameters, settings);

				expect(output).toEqual([]);
				expect(errorOutput).toMatchObject([
					{
						json: {
							error: 'The extraction failed (status: failed)',
							message: expect.stringContaining('The service says: PDF is password protected.'),
						},
						binary: {},
					},
				]);
				expect(used.time.elapsedMs).toBeLessThan(30_000);
			},
		);

		it('also where its results are there', async () => {
			await makesOneDocument(FAILED, [{ ...ONE_ID, values: { Total: 1 } }]);
			const items = [await itemWith(letter(1))];
			const { error } = await extract({}, { items, credential: FAILED_STATUSES });

			expect(error?.message).toBe('The extraction failed (status: failed)');
		});

		it('also where the results are the sign, and the list of documents shows the status', async () => {
			const { error } = await extractOne({
				finishedStatuses: '',
				failedStatuses: 'failed',
				workflowEndpoint: '',
			});

			expect(error?.message).toBe('The extraction failed (status: failed)');
		});

		it('the item goes on without it where the list cannot be read', async () => {
			await used.fault('getDocuments', { type: 'status', status: 403 });
			const broken = textFile('broken.pdf', '%PDF-1.7 and no more', 'application/pdf');

			const { output, error } = await extract(
				{},
				{ items: [await itemWith(broken)], credential: { finishedStatuses: '' } },
			);

			expect(error).toBeUndefined();
			expect(output).toMatchObject([{ json: { extraction: null } }]);
			expect(output[0].json).not.toHaveProperty('document');
		});
	});
});

const INVOICE = sample('invoice-harbour-supplies.pdf');
/** So large that it is streamed. */
const SCAN = textFile('scan.pdf', 'Invoice number: 1\n'.repeat(20_000), 'application/pdf');

const EXTRACT = { resource: 'extraction', operation: 'extractFromFiles' };
const UPLOAD = { resource: 'document', operation: 'upload' };

describe('File Hash', () => {
	const used = useService({ profile: 'atlas', extractionMs: 20, startMs: 5 });
	const hashes = [INVOICE, SCAN].map(({ data }) => sha256(data));

	const runOf = async (
		{ options, ...parameters }: INodeParameters & { options?: INodeParameters },
		settings: Pick<RunOptions, 'binaryMode' | 'onError'> = {},
	) => {
		const items = [INVOICE, SCAN].map(
			async (file) => await binaryItem({ files: { data: file }, mode: settings.binaryMode }),
		);
		return await used.run(
			{ ...parameters, options: { ...options, fileHash: true } },
			{ items: await Promise.all(items), ...settings },
		);
	};

	// Also where a try breaks off and where the node runs again: the simulation's extractRows.
	describe.each(BINARY_MODES)('with files in %s', (binaryMode) => {
		it.each([
			['Extract From Files', EXTRACT],
			['Extract From Files, raw', { ...EXTRACT, simple: false }],
			['Upload by signed URL', { ...UPLOAD, options: { uploadMethod: 'signed' } }],
		])('%s gives the SHA-256 of each file', async (_, parameters) => {
			const { error, output } = await runOf(parameters, { binaryMode });

			expect(error).toBeUndefined();
			expect([...new Set(output.map(({ json }) => json.fileHash))]).toEqual(hashes);
		});
	});

	it('stands with what is known of a file that fails later', async () => {
		await used.fault('extractBulk', { type: 'status', status: 400 });

		const { output } = await runOf(EXTRACT, { onError: 'continueRegularOutput' });

		const { uploads } = await used.control.ledger();
		expect(uploads).toHaveLength(2);
		expect(output).toMatchObject(
			uploads.map(({ documentId, sha256: fileHash }) => ({
				json: { details: { documentId, fileHash } },
			})),
		);
	});

	it.each(['direct', 'signed'])(
		'stands with a file that was sent and refused (%s)',
		async (uploadMethod) => {
			const operation = uploadMethod === 'direct' ? 'upload' : 'putFile';
			await used.fault(operation, { type: 'statusAfter', status: 400 });

			const { errorOutput } = await runOf(
				{ ...UPLOAD, options: { uploadMethod } },
				{ onError: 'continueErrorOutput', binaryMode: 'filesystem' },
			);

			expect(
				errorOutput.map(({ json }) => /File hash: (\w+)\.$/.exec(String(json.message))?.[1]),
			).toEqual(hashes);
		},
	);
});
