import { logOf } from '../support/log';
import { find } from '../support/serviceClient';
import { PROFILES } from '../support/serviceContract';
import { useVirtualService } from '../support/useService';
import {
	ALL_LETTERS,
	BY_RESULTS,
	BY_STATUSES,
	BY_WORKFLOW,
	extract,
	fromFiles,
	letter,
	numbersIn,
	runWith,
	SIGNS,
} from './waitingRuns';

describe.each(PROFILES)('waiting, as %s', (profile) => {
	const used = useVirtualService({ profile, extractionMs: 1_000, startMs: 750 });
	const run = runWith(used);

	const operationsSeen = async () =>
		(await used.control.requests()).map(({ operation }) => operation);

	it.each(SIGNS)('goes by %s', async (_, credential, reads) => {
		const { error, output } = await run(fromFiles({}), credential);

		expect(error).toBeUndefined();
		expect(numbersIn(output)).toEqual(ALL_LETTERS);
		const seen = new Set(await operationsSeen());
		expect([...seen].sort()).toEqual([...reads, 'upload', 'extractBulk'].sort());
	});

	it('needs no API Detail but the file field where documents are named as the interface does', async () => {
		const { documentIdField } = used.service.account.apiDetails;

		const { error, output } = await run(fromFiles({}), { ...BY_RESULTS, documentIdField: '' });

		const missing = error?.message.includes("'Document ID Field'");
		const outcome = { numbers: numbersIn(output), missing };
		expect(outcome).toEqual(
			documentIdField === 'document_id'
				? { numbers: ALL_LETTERS, missing: undefined }
				: { numbers: new Set(), missing: true },
		);
	});

	it('waits for a workflow until it extracts nothing, and no longer', async () => {
		await used.control.settings({ extractionMs: 15_000 });
		await used.client.upload({ bytes: letter(1).data });
		await used.client.api('POST', used.client.at('/extract'));

		const { error, output } = await run(
			{ resource: 'workflow', operation: 'waitUntilExtracted', options: { settleTime: 60 } },
			{},
			{ items: [{ json: {} }] },
		);

		expect(error).toBeUndefined();
		const answers = (await used.control.requests('getWorkflow')).map(({ answer }) => answer);
		expect(output.map(({ json }) => json)).toMatchObject([
			{ finished: true, workflow: answers.at(-1) },
		]);
		const readings = answers.map((answer) => Number(find(answer, 'is_extracting')));
		expect(readings.join('')).toMatch(/^0*1+0+$/);
	});
});

describe('when Max Wait is over, waiting', () => {
	const used = useVirtualService({ profile: 'borealis', extractionMs: 900_000 });
	const run = runWith(used);

	const idOf = async (number: number) => {
		const { uploads } = await used.control.ledger();
		const own = uploads.find(({ fileName }) => fileName === letter(number).fileName);
		return String(own?.documentId);
	};
	const lastStatus = async () => {
		const answers = await used.control.requests('getDocuments');
		return find(answers.at(-1)?.answer, 'extraction_status') as string | number;
	};

	it('fails with the IDs and the last status, and what to do', async () => {
		const { error, output } = await run(fromFiles({ maxWait: 4 }));

		expect(error?.message).toBe('The extraction was not finished after 4 seconds');
		expect(output).toEqual([]);
		expect(used.time.elapsedMs).toBeGreaterThanOrEqual(4_000);
		expect(used.time.elapsedMs).toBeLessThan(5_000);
		expect(error?.description).toContain(
			`The node waited for document ${await idOf(1)}. The last status that the node saw was: ${await lastStatus()}. If it means that`,
		);
		for (const number of [2, 3]) expect(error?.description).toContain(await idOf(number));
	});

	it('goes on with the IDs and the last status when that is wanted', async () => {
		const { output } = await run(fromFiles({ maxWait: 2, onTimeout: 'status' }));

		const extractionStatus = await lastStatus();
		const ids = await Promise.all([1, 2, 3].map(idOf));
		expect(output.map(({ json }) => json)).toEqual(
			ids.map((documentId, index) => ({
				documentId,
				file: expect.objectContaining({ name: letter(index + 1).fileName }) as unknown,
				extraction: null,
				finished: false,
				extractionStatus,
			})),
		);
	});

	it('does the same for a workflow', async () => {
		await used.control.busy(used.client.workflow.id, 900_000);
		const parameters = { resource: 'workflow', operation: 'waitUntilExtracted' };

		const failed = await run({ ...parameters, options: { maxWait: 2 } });
		const returned = await run({ ...parameters, options: { maxWait: 2, onTimeout: 'status' } });

		const start = 'The last status that the node saw was that of the workflow at the service: ';
		expect(failed.error).toMatchObject({
			message: 'The extraction was not finished after 2 seconds',
			description: expect.stringMatching(`^${start}`),
		});
		const answer = (await used.control.requests('getWorkflow')).at(-1)?.answer;
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
	const used = useVirtualService({ profile: 'borealis', extractionMs: 500, startMs: 250 });
	const run = runWith(used);

	it('is not held up by others who keep the workflow busy when its own documents are finished', async () => {
		await used.control.busy(used.client.workflow.id, 900_000);

		const { error, output } = await run(fromFiles({ maxWait: 60 }), BY_WORKFLOW);

		expect(error).toBeUndefined();
		expect(numbersIn(output)).toEqual(ALL_LETTERS);
	});
});

describe('after Max Wait', () => {
	const used = useVirtualService({ profile: 'borealis', startMs: 60_000 });

	it('a look under way asks for nothing more', async () => {
		await used.fault('getWorkflow', { type: 'status', status: 503 }, { skip: 1 });

		const { output } = await runWith(used)(
			fromFiles({ maxWait: 4, onTimeout: 'status' }),
			BY_WORKFLOW,
		);
		const seen = (await used.control.requests()).length;
		await used.time.pass(20_000);

		expect(output).toMatchObject([1, 2, 3].map(() => ({ json: { finished: false } })));
		expect((await used.control.requests()).length).toBe(seen);
	});
});

describe('documents that were extracted before', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 5_000, extractionMs: 15_000 });
	const run = runWith(used);

	const extractedInPart = async () => {
		const [first, ...others] = used.client.workflow.columns;
		const { documentIds } = await used.control.seed({ documents: 2, columns: [first.id] });
		return { documentIds, others: others.map(({ id }) => String(id)) };
	};

	it('are refused before anything starts where results are the only sign', async () => {
		const { documentIds, others } = await extractedInPart();

		const { error } = await run(
			extract(documentIds, { options: { columnIds: others } }),
			BY_RESULTS,
		);

		expect(error?.message).toContain(
			'To wait for documents that already have results, the node needs',
		);
		expect(error?.description).toContain('The extraction was not started, because ');
		for (const id of documentIds) expect(error?.description).toContain(id);
		expect((await used.control.ledger()).extractions).toEqual([]);
	});

	it.each([
		['the workflow', BY_WORKFLOW, {}],
		['statuses, for the settle time', BY_STATUSES, { settleTime: 10 }],
	])('are waited for until the new columns are there, by %s', async (_, credential, settle) => {
		const { documentIds, others } = await extractedInPart();

		const { error, output } = await run(
			extract(documentIds, { options: { columnIds: others, ...settle } }),
			credential,
		);
		const status = await used.client.describeWorkflow();

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json.finished)).toEqual([true, true]);
		expect(JSON.stringify(status.json)).toContain('"is_extracting":false');
		const { extractions } = await used.control.ledger();
		const looks = await used.control.requests();
		const lastLook = Date.parse(String(looks.filter(({ server }) => server === 'api').at(-2)?.at));
		expect(lastLook - Date.parse(extractions[0].at)).toBeGreaterThanOrEqual(20_000);
		const late = await run(extract([], { options: { maxWait: 60 } }), BY_WORKFLOW);
		expect(late.error?.description).toContain('the node never saw the workflow at the service');
	});

	it("are not refused by n8n's Retry On Fail for results that its first try brought", async () => {
		const documentId = await used.client.uploadedId({ bytes: letter(1).data });
		await used.control.settings({ startMs: 0, extractionMs: 0 });
		await used.fault('getExtractions', { type: 'status', status: 403 }, { skip: 1, times: 1 });

		const { error, output } = await run(extract([documentId]), BY_RESULTS, {
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 100,
		});

		expect(error).toBeUndefined();
		expect(output).toMatchObject([{ json: { documentId, finished: true } }]);
		expect((await used.control.ledger()).extractions).toHaveLength(1);
	});
});

describe('documents beyond the first 2,000 of the list', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 2_000, extractionMs: 2_000 });
	const run = runWith(used);

	it.each([
		['are found by their statuses, without reading the list again and again', undefined],
		['are found although the service says that there is one page', { pages: 1 }],
	])('%s', async (_, said) => {
		const { documentIds } = await used.control.seed({ documents: 2_400 });
		if (said) await used.fault('getDocuments', { type: 'wrongPages', ...said });
		const wanted = [documentIds[1_000], documentIds[1_400]];

		const { error, output } = await run(
			extract(wanted, { options: { force: true, maxWait: 120 } }),
			BY_STATUSES,
		);

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json.finished)).toEqual([true, true]);
		const lists = await used.control.requests('getDocuments');
		const own = lists.filter(({ answer }) =>
			wanted.some((id) => JSON.stringify(answer).includes(id)),
		);
		const ownPages = new Set(own.map(({ query }) => query.page));
		expect(ownPages.size).toBe(2);
		const others = lists.map(({ query }) => Number(query.page ?? 1));
		const last = Math.max(...others);
		expect(last).toBeGreaterThan(40);
		// The ends until all are found, and each other page about once.
		const between = others.filter((page) => page > 1 && page < last && !ownPages.has(String(page)));
		expect(between.length).toBeLessThan(last);
	});

	it('are found where `total` counts only the documents of its page', async () => {
		const { documentIds } = await used.control.seed({ documents: 700 });
		await used.fault('getDocuments', { type: 'wrongPages', pages: 1, isTotalOfPage: true });

		const { output } = await run(extract([documentIds[500]]), BY_STATUSES);

		expect(output).toMatchObject([{ json: { finished: true } }]);
	});
});

describe('a value that never comes', () => {
	const used = useVirtualService({ profile: 'atlas', extractionMs: 1_000 });
	const run = runWith(used);

	it('is the reason of the doubt, and said in the log', async () => {
		await used.control.settings({ resultShape: 'nulls', resultPauseMs: 900_000 });

		const runs: Array<Awaited<ReturnType<typeof run>>> = [];
		const log = await logOf(async () => void runs.push(await run(fromFiles({}), BY_RESULTS)));

		const [{ output, hints }] = runs;
		expect(output.map(({ json }) => json.complete)).toEqual([false, false, false]);
		expect(JSON.stringify(hints)).toContain(
			'because a value is empty, or other documents have one',
		);
		expect(log.map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/3 of 3 extractions finished, .+; 3 waited longer for a value that is/),
		);
	});
});

describe("when what was extracting was somebody else's", () => {
	const used = useVirtualService({ profile: 'atlas', extractionMs: 3_000 });
	const run = runWith(used);

	it('documents whose turn comes long after are handed on with a word', async () => {
		await used.control.settings({ startMs: 150_000 });
		await used.control.busy(used.client.workflow.id, 5_000);

		const { output, hints } = await run(fromFiles({}), BY_WORKFLOW);

		expect(output).toMatchObject(
			[1, 2, 3].map(() => ({ json: { extraction: null, complete: false } })),
		);
		expect(JSON.stringify(hints)).toContain('some documents may still be in its queue');
	});
});
