import type { INodeParameters } from 'n8n-workflow';
import { atlas } from '../../dev/service/profiles/atlas';
import { borealis } from '../../dev/service/profiles/borealis';
import { itemWith } from '../support/binary';
import { textFile } from '../support/files';
import { runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { find } from '../support/serviceClient';
import { useVirtualService } from '../support/useService';
import {
	ALL_LETTERS,
	BY_RESULTS,
	BY_STATUSES,
	BY_WORKFLOW,
	extract,
	fromFiles,
	itemOf,
	numbersIn,
	runWith,
} from './waitingRuns';

/** What production meets first. */
describe('a service', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 0, extractionMs: 5_000 });
	const timed = async (parameters: INodeParameters, credential: object, numbers = [1, 2, 3]) => {
		const start = performance.now();
		const items = [await itemOf(...numbers)];
		const { output, error } = await runWith(used)(parameters, credential, { items });
		return { output, error, seconds: (performance.now() - start) / 1_000 };
	};

	it.each([401, 400, 404])('that refuses one look (%i) fails nobody', async (status) => {
		const once = { skip: 1, times: 1 };
		await used.fault('getDocuments', { type: 'status', status }, once);
		await used.fault('getExtractions', { type: 'status', status }, once);

		const { output } = await timed(fromFiles({}), BY_STATUSES);

		expect(numbersIn(output)).toEqual(ALL_LETTERS);
	});

	it('whose lists take long to answer is waited for', async () => {
		await used.fault('getDocuments', { type: 'delay', ms: 25_000 });
		await used.fault('getExtractions', { type: 'delay', ms: 25_000 });

		const { output } = await timed(fromFiles({}), BY_STATUSES);

		expect(numbersIn(output)).toEqual(ALL_LETTERS);
	});

	it('whose list of documents hangs makes Max Wait no longer', async () => {
		await used.control.settings({ startMs: 900_000 });
		await used.fault('getDocuments', { type: 'delay', ms: 900_000 });

		const { error, seconds } = await timed(fromFiles({ maxWait: 10 }), BY_RESULTS);

		expect(error?.message).toBe('The extraction was not finished after 10 seconds');
		expect(seconds).toBeLessThan(10.5);
	});

	it('that counts a row too many is read to the end', async () => {
		const row = { values: { Number: 'L-1' } };
		const body = { total: 2, page: 1, limit: 200, pages: 1, items: [row] };
		await used.answer('getExtractions', body, { path: 'document_id.*page=1' });
		await used.answer('getExtractions', { ...body, page: 2, items: [] }, { path: 'page=2' });

		const { output, seconds } = await timed(fromFiles({}), BY_STATUSES, [1]);

		expect(numbersIn(output)).toEqual(new Set(['L-1']));
		expect(seconds).toBeLessThan(12);
	});

	it.each([
		['a time', (look: number) => `Sun, 29 Nov 2026 10:59:${10 + look} GMT`],
		['a time as a number', (look: number) => 1_796_000_000 + look],
	])('whose results say %s is waited for as one whose results stand still', async (_, told) => {
		for (let look = 0; look < 40; look++) {
			const items = [{ values: { Number: 'L-1' }, told: told(look) }];
			const page = { total: 1, page: 1, limit: 200, pages: 1, items };
			await used.answer('getExtractions', page, { path: 'document_id', times: 1 });
		}

		const { output, seconds } = await timed(fromFiles({}), { ...BY_RESULTS, rows: '' }, [1]);

		expect(numbersIn(output)).toEqual(new Set(['L-1']));
		expect(seconds).toBeLessThan(13);
	});

	it("that gives another document's results, as a cache does, gives none", async () => {
		await used.answerResults([{ document_id: 'other', values: { Total: 'L-9' } }], {
			path: 'document_id',
		});

		const { output, error } = await timed(fromFiles({}), BY_STATUSES);

		expect(error?.message).toBe('The service gave the results of another document');
		expect(error?.description).toContain('got results of document other');
		expect(output).toEqual([]);
	});

	it.each([
		['statuses', BY_STATUSES],
		['the workflow', BY_WORKFLOW],
		['results', BY_RESULTS],
	])('is asked little for many documents, by %s', async (_, credential) => {
		const numbers = Array.from({ length: 60 }, (_one, index) => index + 1);

		const { output } = await timed(fromFiles({}), credential, numbers);

		expect(new Set(output.map(({ json }) => json.documentId)).size).toBe(60);
		expect(output.every(({ json }) => JSON.stringify(json.extraction).includes('L-'))).toBe(true);
		expect((await used.control.requests()).length).toBeLessThan(3 * 60);
	});
});

describe('an extraction that comes and goes while a rate limit holds the looks', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 8_000, extractionMs: 5_000 });

	it('fails nobody, but leaves a doubt', async () => {
		const { documentIds } = await used.control.seed({ documents: 1 });
		const limit = { type: 'status', status: 429, headers: { 'retry-after': '40' } } as const;
		await used.fault('getWorkflow', limit, { skip: 3, times: 1 });

		const { output } = await runWith(used)(
			extract(documentIds, { options: { force: true } }),
			BY_WORKFLOW,
		);

		expect(output).toMatchObject([{ json: { finished: true, complete: false } }]);
	});
});

/** Situations in which an extraction was handed on too soon, or reported as not finished, in virtual time. */
describe('an extraction', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 0, extractionMs: 5_000 });

	const run = async (parameters: INodeParameters, credential = {}, settings: RunOptions = {}) =>
		await runWith(used)(parameters, credential, { onError: 'continueRegularOutput', ...settings });

	it('of complete documents is handed on though looking fails for good afterwards', async () => {
		await used.control.settings({ extractionMs: 5_000, extractionWorkers: 1 });
		await used.fault('getDocuments', { type: 'status', status: 403 }, { skip: 12 });

		const { output } = await run(fromFiles({ maxWait: 300 }), BY_STATUSES);

		const failed = output.filter(({ json }) => json.error);
		expect(failed.length).toBeLessThan(3);
		expect(failed.length).toBeGreaterThan(0);
		expect(numbersIn(output).size).toBe(3 - failed.length);
		expect(failed[0].json.error).toBe('The service refused access (403)');
	});

	it('that is over, and of which nothing can be read, fails with the reason', async () => {
		await used.fault('getExtractions', { type: 'status', status: 404 });

		const { output } = await run(fromFiles({ maxWait: 300 }), BY_STATUSES);

		expect(output.map(({ json }) => json.error)).toEqual(
			Array(3).fill('The service cannot find what was requested (404)'),
		);
	});

	it.each([
		{ startMs: 1_200, extractionMs: 600, busyMs: 0 },
		// Somebody else's is over just before it begins.
		{ startMs: 4_000, extractionMs: 10_000, busyMs: 2_000 },
	])('is seen to begin and to end: %j', async ({ startMs, extractionMs, busyMs }) => {
		await used.control.settings({ startMs, extractionMs });
		await used.control.busy(used.client.workflow.id, busyMs);
		const { documentIds } = await used.control.seed({ documents: 2 });
		const start = performance.now();

		const { output } = await run(extract(documentIds, { options: { force: true } }), BY_WORKFLOW);

		expect(output.map(({ json }) => json.finished)).toEqual([true, true]);
		const tookMs = performance.now() - start - startMs - extractionMs;
		expect(tookMs).toBeGreaterThan(0);
		expect(tookMs).toBeLessThan(busyMs > 0 ? 100_000 : 10_000);
	});

	it('of which all values are there already is over at once', async () => {
		await used.control.settings({ startMs: 900_000 });
		const { documentIds } = await used.control.seed({ documents: 2 });

		const { output } = await run(extract(documentIds, { options: { maxWait: 20 } }), BY_WORKFLOW);

		expect(output.map(({ json }) => json.finished)).toEqual([true, true]);
	});

	it('whose results were read once when Max Wait ended has a word in its items and a hint', async () => {
		await used.control.settings({ extractionMs: 1_000 });

		const { output, hints } = await run(fromFiles({ maxWait: 3, settleTime: 60 }), BY_RESULTS);

		expect(numbersIn(output)).toEqual(ALL_LETTERS);
		expect(output.every(({ json }) => json.complete === false)).toBe(true);
		const hint = hints.map(({ message }) => message).find((text) => text.startsWith('May be'));
		expect(hint).toContain('letter-1.txt');
		expect(hint).toContain('complete: false');
	});
});

/** A service that first has an empty result for each column, and values a while later. */
const EMPTY_FIRST = {
	startMs: 0,
	extractionMs: 1_000,
	resultShape: 'nulls',
	resultPauseMs: 9_000,
} as const;

/** An account that shows values that are not there yet otherwise than as null. */
const showing = (empty: '' | undefined, profile: typeof atlas): typeof atlas => ({
	...profile,
	results: (...about) =>
		JSON.parse(JSON.stringify(profile.results(...about)), (_, value) => value ?? empty),
});

describe.each([
	['empty texts', showing('', atlas), BY_RESULTS],
	['empty texts, in raw JSON', showing('', atlas), { ...BY_RESULTS, rows: '' }],
	['columns without values', showing(undefined, borealis), BY_RESULTS],
])('an extraction by a service that shows %s first', (_, profile, credential) => {
	const used = useVirtualService({ profile, ...EMPTY_FIRST });

	it('is not handed on before there are values', async () => {
		const { output } = await runWith(used)(fromFiles({ maxWait: 300 }), credential);

		expect(numbersIn(output)).toEqual(ALL_LETTERS);
	});
});

describe('an extraction of a workflow that has got new columns', () => {
	const used = useVirtualService({ profile: 'borealis', ...EMPTY_FIRST });

	it('is not over when there are values of the old ones', async () => {
		// Each has the result of one column.
		await used.control.seed({ documents: 3, extractionsPerDocument: 1 });
		const invoice = textFile('a.txt', 'Invoice number: L-1\nSupplier: S-1\n');

		const { output } = await runWith(used)(fromFiles({ maxWait: 300 }), BY_RESULTS, {
			items: [await itemWith(invoice)],
		});

		expect(JSON.stringify(output)).toContain('S-1');
	});
});

describe('the columns of earlier documents', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 0, extractionMs: 2_000 });

	/** Files with a value for each column. */
	const invoices = async (...numbers: number[]) =>
		await itemWith(
			...numbers.map((number) =>
				textFile(
					`invoice-${number}.txt`,
					`Invoice number: L-${number}\nSupplier: Nord\nInvoice date: 2025-01-0${number}\nTotal: 12.50\nCurrency: EUR\nYour reference: R-${number}\nLine items\nItem\tPrice\nPen\t12.50\n`,
				),
			),
		);

	const run = async (credential: object) => {
		const start = performance.now();
		const items = [await invoices(1, 2), await invoices(3)];
		const parameters = { ...fromFiles({}), simple: true };
		const { output } = await runWith(used)(parameters, credential, { items });
		return { output, ms: performance.now() - start };
	};

	it.each([
		['the results alone', BY_RESULTS],
		['a finished status', BY_STATUSES],
	])('end the wait without the Settle Time, by %s', async (_, credential) => {
		await used.control.settings({ extractionMs: 5_000 });
		const first = await run(credential);
		const second = await run(credential);

		expect(numbersIn(second.output)).toEqual(ALL_LETTERS);
		expect(second.output.some(({ json }) => json.complete === false)).toBe(false);
		expect(first.ms).toBeGreaterThan(8_000);
		expect(second.ms).toBeLessThan(7_000);
	});

	it.each([
		['were extracted before', 0, 9_000, 0],
		['are extracted while this run uploads', 17_000, 1_000, 0],
		['cannot be looked at again for long', 0, 14_500, 30_000],
	])('tell nothing while documents grow that %s', async (_, uploadMs, laterMs, lookMs) => {
		await used.control.settings({ resultShape: 'growing', resultPauseMs: 6_000 });
		await used.fault('upload', { type: 'delay', ms: uploadMs }, { times: 1 });
		const look = { path: 'extractions\\?(?!.*document_id)', skip: 4 };
		await used.fault('getExtractions', { type: 'delay', ms: lookMs }, look);
		const parameters = { ...fromFiles({}), simple: true };
		const credential = used.service.credential(BY_RESULTS);
		const runs = [1, 2].map(async (number) => {
			await new Promise((begin) => setTimeout(begin, laterMs * (number - 1)));
			return await runNode({ parameters, items: [await invoices(number)], credential });
		});

		const [first, second] = await used.time.run(Promise.all(runs));

		for (const { output } of [first, second]) {
			const isWhole = 'Line items' in output[0].json && 'Reference' in output[0].json;
			expect(isWhole || output[0].json.complete === false).toBe(true);
		}
	});
});

describe('Force, with Finished Statuses', () => {
	const used = useVirtualService({ profile: 'atlas', extractionMs: 5_000 });

	it.each([
		['does not take the old status for a new one', 8_000, undefined],
		['says so where no other status was seen', 120_000, false],
	])('%s', async (_, startMs, complete) => {
		await used.control.settings({ startMs });
		const { documentIds } = await used.control.seed({ documents: 1 });
		const start = performance.now();

		const { output, hints } = await runWith(used)(
			extract(documentIds, { options: { force: true } }),
			{},
		);

		expect(output).toMatchObject([{ json: { finished: true } }]);
		expect(output[0].json.complete).toBe(complete);
		const isTold = hints.some(({ message }) => message.includes('the values may be the old ones'));
		expect(isTold).toBe(complete === false);
		expect(performance.now() - start).toBeGreaterThan(13_000);
	});
});

describe('a wait', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 0, extractionMs: 2_000 });
	const run = runWith(used);
	const waitForWorkflow = async (options: INodeParameters = {}) => {
		const parameters = { resource: 'workflow', operation: 'waitUntilExtracted', options };
		return await run(parameters, {}, { items: [{ json: {} }] });
	};

	it.each([
		['looks again after it', 3_600, 600, true],
		['ends as chosen before it', 60, 60, false],
	])('%s: a long Retry-After (Max Wait: %i)', async (_, maxWait, seconds, finished) => {
		const fault = { type: 'status', status: 429, headers: { 'retry-after': '600' } } as const;
		await used.fault('getWorkflow', fault, { skip: 1, times: 1 });
		await used.control.busy(used.client.workflow.id, 30_000);
		const start = performance.now();

		const { output } = await waitForWorkflow({ maxWait, onTimeout: 'status' });

		expect(output).toMatchObject([{ json: { finished } }]);
		expect(performance.now() - start).toBeGreaterThanOrEqual(seconds * 1_000);
		expect(performance.now() - start).toBeLessThan((seconds + 100) * 1_000);
	});

	it.each<[what: string, shown: string, list: (id: string, done: string) => object[]]>([
		['an object', '{"code":7}', (id) => [{ document_id: id, extraction_status: { code: 7 } }]],
		[
			'of the document itself, not of one that it replaced',
			'PROCESSING',
			(id, done) => [
				{ uid: 'twin', extraction_status: done, duplicate_of: { id } },
				{ uid: id, extraction_status: 'PROCESSING' },
				{ uid: 'old', extraction_status: done, superseded_by: id },
				{ uid: 'older', extraction_status: done, history: { next: id } },
				{ document_id: 'copy', extraction_status: done, duplicate_of: id },
			],
		],
	])('goes by a status that is %s', async (_, shown, list) => {
		const [id] = (await used.control.seed({ documents: 1 })).documentIds;
		const [done] = used.service.account.apiDetails.finishedStatuses.split(',');
		await used.answer('getDocuments', list(id, done.trim()));

		const { error } = await run(extract([id], { options: { maxWait: 20 } }), {});

		expect(error?.description).toContain(`The last status that the node saw was: ${shown}.`);
	});

	it('takes no workflow of a list for its own', async () => {
		await used.answer('getWorkflow', { workflows: [{ id: 'other', is_extracting: false }] });

		const { error, output } = await waitForWorkflow();

		expect(output).toEqual([]);
		expect(error?.message).toContain("does not lead to the service's workflow");
	});

	it('keeps rows that a later read does not show', async () => {
		await used.answerResults([], { path: 'document_id', skip: 6 });

		const { output } = await run(fromFiles({}), BY_STATUSES);

		expect(numbersIn(output)).toEqual(ALL_LETTERS);
		expect(find(output, 'extraction')).not.toBeNull();
	});
});
