import { setTimeout as sleep } from 'node:timers/promises';
import { timeLeftFor } from '../../nodes/DocumentExtraction/api/waiting/poll';
import { readBinary } from '../support/binary';
import { runNode } from '../support/n8n';
import { find } from '../support/serviceClient';
import { useService } from '../support/useService';
import {
	BY_RESULTS,
	BY_STATUSES,
	BY_WORKFLOW,
	fromFiles,
	itemOf,
	letter,
	runWith,
	SPEED,
	useFastClock,
} from './waitingRuns';

describe('when Max Wait is over, waiting', () => {
	const used = useService({ profile: 'cobalt', extractionMs: 60_000 });
	useFastClock();
	const run = runWith(used);

	it('fails with the IDs and the last status, and what to do', async () => {
		const start = Date.now();

		const { error, output } = await run(fromFiles({ maxWait: 4 }));

		expect(error?.message).toBe('The extraction was not finished after 4 seconds');
		expect(output).toEqual([]);
		const waited = (Date.now() - start) / 1000;
		expect(waited).toBeGreaterThan(4);
		expect(waited).toBeLessThan(4 + 2 * SPEED);
		const { uploads } = await used.service.control.ledger();
		const [first] = uploads.filter(({ fileName }) => fileName === letter(1).fileName);
		const answers = await used.service.control.requests('getDocuments');
		const status = find(answers.at(-1)?.answer, 'extraction_status');
		expect(error?.description).toContain(
			`Document ${first.documentId}, last status: ${String(status)}. The extraction itself goes on: fetch the results later with Extraction › Get Many, or raise 'Max Wait' in the options.`,
		);
		for (const { documentId } of uploads) expect(error?.description).toContain(documentId);
	});

	it('asks for nothing more', async () => {
		const items = [await itemOf(...Array.from({ length: 150 }, (_, index) => index))];
		await used.service.control.settings({ latencyMs: 250 });

		await run(fromFiles({ maxWait: 3, onTimeout: 'status' }), BY_RESULTS, { items });

		await sleep(400);
		const reads = (await used.service.control.requests('getExtractions')).length;
		await sleep(1_500);
		expect(await used.service.control.requests('getExtractions')).toHaveLength(reads);
	});

	it('goes on with the IDs and the last status when that is wanted', async () => {
		const { error, output } = await run(fromFiles({ maxWait: 2, onTimeout: 'status' }));

		expect(error).toBeUndefined();
		const { uploads } = await used.service.control.ledger();
		const answers = await used.service.control.requests('getDocuments');
		const status = find(answers.at(-1)?.answer, 'extraction_status');
		expect(output.map(({ json }) => json)).toEqual(
			[1, 2, 3].map((number) => {
				const { fileName, data, mimeType } = letter(number);
				return {
					documentId: uploads.find((upload) => upload.fileName === fileName)?.documentId,
					file: { field: `file_${number}`, name: fileName, mimeType, size: data.length },
					extraction: null,
					finished: false,
					extractionStatus: status,
				};
			}),
		);
	});

	it('does the same for documents that are uploaded already', async () => {
		const { documentIds } = await used.service.control.seed({ documents: 2 });
		const parameters = {
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: documentIds.join(','),
			force: true,
			wait: true,
		};

		const failed = await run({ ...parameters, options: { maxWait: 2, settleTime: 60 } });
		const returned = await run({
			...parameters,
			options: { maxWait: 2, settleTime: 60, onTimeout: 'status' },
		});

		expect(failed.error?.description).toContain(`Document ${documentIds[0]}, last status: `);
		expect(returned.output).toMatchObject(
			documentIds.map((documentId) => ({
				json: { documentId, started: true, finished: false },
			})),
		);
	});

	it('does the same for a workflow', async () => {
		await used.service.control.busy(used.client.workflow.id, 60_000);
		const parameters = { resource: 'workflow', operation: 'waitUntilExtracted' };

		const failed = await run({ ...parameters, options: { maxWait: 2 } });
		const returned = await run({
			...parameters,
			options: { maxWait: 2, onTimeout: 'status' },
		});

		expect(failed.error).toMatchObject({
			message: 'The extraction was not finished after 2 seconds',
			description: expect.stringMatching(/^The workflow, last status: /),
		});
		const answer = (await used.service.control.requests('getWorkflow')).at(-1)?.answer;
		expect(returned.output.map(({ json }) => json)).toEqual(
			[0, 1].map(() => ({
				finished: false,
				extractionStatus: find(answer, 'extraction_status'),
				workflow: answer,
			})),
		);
	});
});

describe('waiting', () => {
	const used = useService({ profile: 'borealis', extractionMs: 100, startMs: 50 });
	useFastClock();
	const run = runWith(used);

	it('is not held up by others who keep the workflow busy when its own documents are finished', async () => {
		await used.service.control.busy(used.client.workflow.id, 60_000);

		const { error, output } = await run(fromFiles({ maxWait: 60 }), BY_WORKFLOW);

		expect(error).toBeUndefined();
		expect(new Set(output.map(({ json }) => json.documentId)).size).toBe(3);
		expect(JSON.stringify(output)).toContain('L-3');
	});

	it('takes results for finished only when they no longer change', async () => {
		const [first, ...others] = used.client.workflow.columns.map(({ id }) => String(id));
		const running = run(fromFiles({ columnIds: [first], settleTime: 10 }), BY_RESULTS);
		const started = async () => (await used.service.control.ledger()).extractions.length > 0;
		while (!(await started())) await sleep(10);
		await sleep(350);
		const { uploads } = await used.service.control.ledger();
		const document_ids = uploads.map(({ documentId }) => documentId);
		await used.client.api('POST', used.client.at('/extract'), {
			body: { document_ids, column_ids: others },
		});

		const { error, output } = await running;

		expect(error).toBeUndefined();
		expect(output).toHaveLength(3 * (others.length + 1));
	});

	it('asks again only for the documents that are not finished', async () => {
		await used.service.control.settings({ extractionMs: 500, extractionWorkers: 1 });

		const { error } = await run(fromFiles({ settleTime: 0 }), BY_RESULTS);

		expect(error).toBeUndefined();
		const requests = await used.service.control.requests('getExtractions');
		const { extractions } = await used.service.control.ledger();
		const counts = extractions[0].documentIds.map(
			(id) => requests.filter(({ query }) => query.document_id === id).length,
		);
		expect(counts[0]).toBeLessThan(counts[2]);
		expect(counts).toEqual([...counts].sort((a, b) => a - b));
		expect(requests.at(-1)?.query.document_id).toBe(extractions[0].documentIds[2]);
	});

	it.each(['fail', 'status'])(
		'gives the results of those that are finished when others are not (on timeout: %s)',
		async (onTimeout) => {
			await used.service.control.settings({ extractionMs: 600, extractionWorkers: 2 });

			const running = run(
				fromFiles({ maxWait: 8, onTimeout }),
				{},
				{ onError: 'continueRegularOutput' },
			);
			const firstStatus = async () =>
				find(
					(await used.client.api('GET', used.client.at('/documents'))).json,
					'extraction_status',
				);
			while ((await firstStatus()) !== 'IN_WORK') await sleep(10);
			// From here on it holds for the third document, which the first two keep waiting.
			await used.service.control.settings({ extractionMs: 60_000 });

			const { error, output } = await running;

			expect(error).toBeUndefined();
			const { extractions, uploads } = await used.service.control.ledger();
			const [, , lastId] = extractions[0].documentIds;
			const extracted = output.filter(({ json }) => json.extraction);
			expect(new Set(extracted.map(({ json }) => json.documentId))).toEqual(
				new Set(extractions[0].documentIds.slice(0, 2)),
			);
			const unfinished = output.filter(({ json }) => !json.extraction);
			expect(unfinished).toMatchObject([
				onTimeout === 'status'
					? { json: { documentId: lastId, finished: false, extractionStatus: 'IN_WORK' } }
					: {
							json: {
								error: 'The extraction was not finished after 8 seconds',
								details: { documentId: lastId },
							},
						},
			]);
			expect(uploads).toHaveLength(3);
			const file = onTimeout === 'fail' ? await readBinary(unfinished[0], 'file_3') : undefined;
			expect(file).toEqual(onTimeout === 'fail' ? letter(3).data : undefined);
		},
	);
});

describe('waiting in a workflow with more documents than are worth listing', () => {
	const used = useService({ profile: 'atlas', extractionMs: 100, startMs: 50 });
	useFastClock();

	it('goes by the results of those that the list does not reach', async () => {
		await used.service.control.seed({ documents: 2500 });

		const { error, output } = await runWith(used)(fromFiles({ maxWait: 120 }), BY_STATUSES);

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => (json.file as { name: string }).name)).toEqual([
			'letter-1.txt',
			'letter-2.txt',
			'letter-3.txt',
		]);
		expect(JSON.stringify(output)).toContain('L-3');
		const lists = await used.service.control.requests('getDocuments');
		// From look to look the search goes on where it was; nobody reads the whole list for three.
		const pages = lists.map(({ query }) => Number(query.page ?? 1));
		expect(pages).toEqual(pages.map((_, index) => index + 1));
		expect(pages.length).toBeLessThan(Number(find(lists[0].answer, 'pages')));
	});
});

describe('waiting for long', () => {
	const used = useService({ profile: 'borealis' });
	const speed = 10;
	useFastClock(speed);
	const run = runWith(used);

	it('looks at intervals that grow', async () => {
		await used.service.control.busy(used.client.workflow.id, 60_000);

		await run(
			{ resource: 'workflow', operation: 'waitUntilExtracted', options: { maxWait: 25 } },
			{},
			{ items: [{ json: {} }] },
		);

		const times = (await used.service.control.requests('getWorkflow')).map(({ at }) =>
			Date.parse(at),
		);
		const gaps = times.slice(1).map((time, index) => ((time - times[index]) * speed) / 1000);
		expect(gaps.length).toBeGreaterThanOrEqual(7);
		expect(gaps.length).toBeLessThanOrEqual(11);
		expect(gaps.at(-2)).toBeGreaterThan(3 * gaps[1]);
	});
});

describe('the time that an extraction still takes', () => {
	it('is told by the speed up to the last progress, and unknown where that no longer tells', () => {
		const timeLeft = timeLeftFor(3);

		expect(timeLeft(3, 5_000)).toBe(Infinity);
		expect(timeLeft(2, 10_000)).toBe(20_000);
		expect(timeLeft(2, 25_000)).toBe(5_000);
		expect(timeLeft(2, 30_000)).toBe(Infinity);
		expect(timeLeft(1, 32_000)).toBe(16_000);
	});
});

describe('Stop', () => {
	const used = useService({ profile: 'cobalt', extractionMs: 60_000, startMs: 0 });

	it.each([
		['Extract From Files', fromFiles({})],
		['Wait Until Extracted', { resource: 'workflow', operation: 'waitUntilExtracted' }],
		[
			'Extract Documents',
			{ resource: 'extraction', operation: 'extractDocuments', wait: true, force: true },
		],
	])('ends the wait of %s within a second', async (_, parameters) => {
		await used.service.control.busy(used.client.workflow.id, 60_000);
		const pressed = Date.now() + 800;

		const { status } = await runNode({
			credential: used.service.credential(),
			parameters,
			items: [await itemOf(1)],
			signal: AbortSignal.timeout(800),
		});

		expect(status).toBe('canceled');
		expect(Date.now() - pressed).toBeLessThan(1000);
		const seen = (await used.service.control.requests()).length;
		await sleep(600);
		expect(await used.service.control.requests()).toHaveLength(seen);
	});
});
