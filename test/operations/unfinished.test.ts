import { useVirtualService } from '../support/useService';
import {
	BY_RESULTS,
	BY_STATUSES,
	BY_WORKFLOW,
	extract,
	fromFiles,
	letter,
	runWith,
} from './waitingRuns';

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
		expect(error?.description).toContain('Nothing was started.');
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
		['are found although the service says that there is one page', 1],
	])('%s', async (_, saidPages) => {
		const { documentIds } = await used.control.seed({ documents: 2_400 });
		if (saidPages) await used.fault('getDocuments', { type: 'wrongPages', pages: saidPages });
		const wanted = [documentIds[0], documentIds[2_399]];

		const { error, output } = await run(
			extract(wanted, { force: true, options: { maxWait: 120 } }),
			BY_STATUSES,
		);

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json.finished)).toEqual([true, true]);
		const lists = await used.control.requests('getDocuments');
		const pages = lists.map(({ query }) => Number(query.page ?? 1));
		const last = Math.max(...pages);
		expect(last).toBeGreaterThan(40);
		// Each page once to find them, and their own two pages at each look.
		expect(pages.filter((page) => page > 1 && page < last)).toHaveLength(last - 2);
	});

	it('cost no list where the two that are wanted stand on its first page', async () => {
		const { documentIds } = await used.control.seed({ documents: 2_400 });
		const first = await used.client.api('GET', used.client.at('/documents'));
		const wanted = documentIds.filter((id) => first.text.includes(`"${id}"`)).slice(0, 2);

		const { error } = await run(extract(wanted, { force: true }), BY_STATUSES);

		expect(error).toBeUndefined();
		const lists = await used.control.requests('getDocuments');
		expect(new Set(lists.map(({ query }) => query.page))).toEqual(new Set([undefined]));
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
		expect(JSON.stringify(hints)).toContain('some documents may still be waiting');
	});

	it('what has no results when Max Wait ends is not finished', async () => {
		await used.control.settings({ startMs: 900_000 });
		await used.control.busy(used.client.workflow.id, 3_000);
		await used.fault('getExtractions', { type: 'delay', ms: 12_500 });

		const { error, output } = await run(fromFiles({ maxWait: 8 }), BY_WORKFLOW);

		expect(error?.message).toBe('The extraction was not finished after 8 seconds');
		expect(output).toEqual([]);
	});
});
