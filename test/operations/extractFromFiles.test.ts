import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/service/faults';
import { BINARY_MODES, binaryItem, itemsWith, itemWith } from '../support/binary';
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

		const FAILED_STATUSES = {
			finishedStatuses: 'done',
			failedStatuses: 'failed',
			rows: 'a',
		};

		it('also where its results are there', async () => {
			await makesOneDocument(FAILED, [{ ...ONE_ID, values: { Total: 1 } }]);
			const items = [await itemWith(letter(1))];
			const { error } = await extract({}, { items, credential: FAILED_STATUSES });

			expect(error?.message).toBe('The extraction failed (status: failed)');
			expect(error?.description).toMatch('The service says: PDF is password protected.');
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
});
