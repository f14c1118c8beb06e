import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/service/faults';
import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node.ts';
import { itemsWith } from '../support/binary';
import { textFile } from '../support/files';
import { asTool } from '../support/n8n';
import { useService } from '../support/useService';

const used = useService({ profile: 'atlas', extractionMs: 20, startMs: 5 });

const letter = (name: string) => textFile(`${name}.txt`, `Document number: ${name}`);

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const REFUSED = { type: 'status', status: 400 } as const;

describe("with n8n's Retry On Fail, a write of the first try whose outcome is unknown", () => {
	const NAMES = ['first', 'second', 'third'];
	const HANDLINGS = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

	/** The first file is refused once, so that the node runs again whatever becomes of the others. */
	const runWith = async (
		{ options = {}, ...parameters }: INodeParameters & { options?: INodeParameters },
		onError: (typeof HANDLINGS)[number],
		rule: FaultRule,
	) => {
		const operation = options.uploadMethod === 'signed' ? 'createUploadUrl' : 'upload';
		await used.fault(operation, REFUSED, { times: 1 });
		await used.control.faults([rule]);
		const { error, output, errorOutput } = await used.run(
			{ ...parameters, options: { ...options, maxConcurrency: 1 } },
			{ items: await itemsWith(...NAMES.map(letter)), onError, ...RETRY },
		);
		const failures = [
			...(error ? [error.description] : []),
			...[...output, ...errorOutput].flatMap(({ json }) => (json.error ? [json.message] : [])),
		];
		return { failures, done: output.filter(({ json }) => !json.error) };
	};

	const isInDoubt = expect.stringContaining('The outcome is unknown: ') as unknown;

	it('is not called untried where the response to another file holds no document ID', async () => {
		const { failures, done } = await runWith({}, 'continueErrorOutput', {
			match: { operation: 'upload', skip: 2, times: 1 },
			fault: { type: 'empty' },
		});

		expect(failures).toEqual([isInDoubt]);
		expect(done).toHaveLength(2);
		expect((await used.control.ledger()).uploads).toHaveLength(3);
	});

	const UPLOAD = { resource: 'document', operation: 'upload' };
	const SIGNED = { ...UPLOAD, options: { uploadMethod: 'signed' } };

	/** How many fail, how many documents the rest name, and how many requests there were. */
	const ONE_FILE = { stopped: [1, 0, 3], continued: [1, 2, 4] };
	const ALL_FILES = { stopped: [1, 0, 1], continued: [2, 1, 2] };

	it.each(
		HANDLINGS.flatMap((onError) =>
			(
				[
					// Stop: refused; first and second; nothing any more. Else: refused, second and third; first.
					{ operation: 'upload', parameters: UPLOAD, skip: 1, expected: ONE_FILE },
					{ operation: 'createUploadUrl', parameters: SIGNED, skip: 1, expected: ONE_FILE },
					// Stop: all three. Else: second and third; first.
					{ operation: 'confirm', parameters: SIGNED, skip: 0, expected: ALL_FILES },
					{ operation: 'extractBulk', parameters: {}, skip: 0, expected: ALL_FILES },
				] as const
			).map((row) => ({ ...row, onError })),
		),
	)('is told again in place of being done again: $operation ($onError)', async (row) => {
		const { operation, parameters, skip, expected, onError } = row;

		const { failures, done } = await runWith(parameters, onError, {
			match: { operation, skip, times: 1 },
			fault: { type: 'cutAfter' },
		});

		expect(failures).toEqual(failures.map(() => isInDoubt));
		const documents = new Set(done.map(({ json }) => json.documentId)).size;
		const requests = await used.control.requests(operation);
		expect([failures.length, documents, requests.length]).toEqual(
			onError === 'stopWorkflow' ? expected.stopped : expected.continued,
		);
		const { uploads, uploadUrls } = await used.control.ledger();
		for (const files of [uploads, uploadUrls]) {
			expect(new Set(files.map(({ fileName }) => fileName)).size).toBe(files.length);
		}
	});
});

describe("with n8n's Retry On Fail, equal writes", () => {
	const CONFIRM = { resource: 'document', operation: 'confirmUpload' };
	const extractOne = (documentId: string) => ({
		resource: 'extraction',
		operation: 'extractOne',
		documentId,
		options: { maxConcurrency: 1 },
	});

	it('of two items are two writes, each made once', async () => {
		const { documentIds } = await used.control.seed({ documents: 1 });
		await used.fault('extractOne', REFUSED, { skip: 1, times: 1 });

		const { error, output } = await used.run(extractOne(documentIds[0]), {
			items: [{ json: {} }, { json: {} }],
			...RETRY,
		});

		expect(error).toBeUndefined();
		expect(output).toHaveLength(2);
		const requests = await used.control.requests('extractOne');
		expect(requests.map(({ status }) => Number(status) < 300)).toEqual([true, false, true]);
	});

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'of two items that confirm the same document are one (%s)',
		async (onError) => {
			await used.fault('confirm', { type: 'cutAfter' });

			const { error, output } = await used.run(
				{ ...CONFIRM, documentIds: await used.client.storedId(letter('first')) },
				{ items: [{ json: {} }, { json: {} }], onError, ...RETRY },
			);

			expect(error ? [error.description] : output.map(({ json }) => json.message)).toEqual(
				Array(error ? 1 : 2).fill(expect.stringContaining('The outcome is unknown: ')),
			);
			expect(await used.control.requests('confirm')).toHaveLength(1);
		},
	);

	it('of three items share their outcome while they are under way', async () => {
		await used.fault('confirm', REFUSED, { times: 1 });

		const { output } = await used.run(
			{ ...CONFIRM, documentIds: await used.client.storedId(letter('first')) },
			{
				items: [{ json: {} }, { json: {} }, { json: {} }],
				onError: 'continueRegularOutput',
			},
		);

		expect(output.map(({ json }) => json.httpCode ?? json.error)).toEqual(
			Array(3).fill('The service did not accept the request (400)'),
		);
		expect(await used.control.requests('confirm')).toHaveLength(1);
	});

	it('goes on alone where the call that it shares is refused for another document', async () => {
		const documentId = await used.client.storedId(letter('first'));

		const { output } = await used.run(
			{ ...CONFIRM, documentIds: '={{ $json.ids }}' },
			{
				items: [{ json: { ids: [documentId, 'unknown'] } }, { json: { ids: documentId } }],
				onError: 'continueRegularOutput',
			},
		);

		expect(output.map(({ json }) => [json.documentId, json.confirmed])).toEqual([
			[documentId, true],
			[undefined, undefined],
			[documentId, true],
		]);
		expect(output[1].json.message).toContain('Document ID: unknown.');
		const calls = await used.control.requests('confirm');
		expect(calls.map(({ status }) => status)).toEqual([404, 200, 404]);
	});

	const BY_RESULTS = { finishedStatuses: '', workflowEndpoint: '' };

	it.each([
		{ what: 'without waiting', wait: false, credential: {} },
		{ what: 'with waiting', wait: true, credential: {} },
		{ what: 'with results as the only sign', wait: true, credential: BY_RESULTS },
	])(
		'of items that share a call are one, also where the first is invalid in the first try: $what',
		async ({ wait, credential }) => {
			const uploaded = async (name: string) =>
				await used.client.uploadedId({ fileName: name, bytes: letter(name).data });
			const [first, second] = [await uploaded('first'), await uploaded('second')];
			let reads = 0;
			const given = {
				get documentId() {
					return reads++ === 0 ? '' : first;
				},
			};

			const { error, output } = await used.run(
				{
					resource: 'extraction',
					operation: 'extractDocuments',
					documentIds: '={{ $json.documentId }}',
					wait,
				},
				{
					items: [{ json: given }, { json: { documentId: second } }],
					onError: 'continueRegularOutput',
					credential,
					...RETRY,
				},
			);

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => [json.documentId, json.error])).toEqual([
				[first, undefined],
				[second, undefined],
			]);
			const calls = await used.control.requests('extractBulk');
			expect(calls.map(({ body }) => body)).toEqual([
				{ document_ids: [second] },
				{ document_ids: [first] },
			]);
		},
	);

	it('of two tool calls are two, although an agent gives them the same execute data', async () => {
		const { documentIds } = await used.control.seed({ documents: 1 });
		const shared = asTool().toolContext().getExecuteData();
		const call = async (items: Array<{ json: object }>) => {
			const context = asTool().toolContext({
				credential: used.service.credential(),
				parameters: extractOne(documentIds[0]),
				items: items as never,
			});
			context.getExecuteData = () => shared;
			await new DocumentExtraction().execute.call(context);
		};
		const first = [{ json: { documentId: documentIds[0] } }];

		await call(first);
		await call([{ json: { ...first[0].json } }]);
		expect(await used.control.requests('extractOne')).toHaveLength(2);
		await call(first);

		expect(await used.control.requests('extractOne')).toHaveLength(2);
	});
});
