import type { INodeParameters } from 'n8n-workflow';
import { atlas } from '../../dev/service/profiles/atlas';
import { itemWith } from '../support/binary';
import { textFile } from '../support/files';
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
	letter,
	numbersIn,
	runWith,
} from './waitingRuns';

/** Situations in which an extraction was handed on too soon, or reported as not finished, in virtual time. */
describe('an extraction', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 0, extractionMs: 5_000 });

	const run = async (parameters: INodeParameters, credential = {}, settings: RunOptions = {}) =>
		await runWith(used)(parameters, credential, { onError: 'continueRegularOutput', ...settings });

	it.each([
		['statuses', BY_STATUSES, 'getDocuments'],
		['the workflow', BY_WORKFLOW, 'getWorkflow'],
	] as const)(
		'survives an outage that ends before Max Wait, by %s',
		async (_, credential, fails) => {
			await used.fault(fails, { type: 'status', status: 503 }, { skip: 1, times: 20 });

			const { output } = await run(fromFiles({ maxWait: 300 }), credential);

			expect(numbersIn(output)).toEqual(ALL_LETTERS);
		},
	);

	it('that an outage hid from the beginning to the end is told by its results', async () => {
		await used.control.settings({ startMs: 8_000, extractionMs: 4_000 });
		await used.fault('getWorkflow', { type: 'status', status: 503 }, { skip: 4, times: 6 });
		const documentId = await used.client.uploadedId({ bytes: letter(1).data });
		const raw = { ...BY_WORKFLOW, useResponseFields: false };
		const start = performance.now();

		const { output } = await run(extract([documentId]), raw);

		const isSeen = (await used.control.requests('getWorkflow')).some(
			({ answer }) => find(answer, 'is_extracting') === true,
		);
		expect(isSeen).toBe(false);
		expect(output.map(({ json }) => [json.finished, json.complete])).toEqual([[true, undefined]]);
		expect(performance.now() - start).toBeLessThan(60_000);
	});

	it('of complete documents is handed on though looking fails for good afterwards', async () => {
		await used.control.settings({ extractionMs: 5_000, extractionWorkers: 1 });
		await used.fault('getDocuments', { type: 'status', status: 403 }, { skip: 16 });

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
		{ startMs: 0, extractionMs: 600, busyMs: 0 },
		{ startMs: 1_200, extractionMs: 600, busyMs: 0 },
		{ startMs: 60_000, extractionMs: 4_000, busyMs: 0 },
		// Somebody else's is over just before it begins.
		{ startMs: 4_000, extractionMs: 10_000, busyMs: 2_000 },
	])('is seen to begin and to end: %j', async ({ startMs, extractionMs, busyMs }) => {
		await used.control.settings({ startMs, extractionMs });
		await used.control.busy(used.client.workflow.id, busyMs);
		const { documentIds } = await used.control.seed({ documents: 2 });
		const start = performance.now();

		const { output } = await run(extract(documentIds, { force: true }), BY_WORKFLOW);

		expect(output.map(({ json }) => json.finished)).toEqual([true, true]);
		const tookMs = performance.now() - start - startMs - extractionMs;
		expect(tookMs).toBeGreaterThan(0);
		expect(tookMs).toBeLessThan(busyMs > 0 ? 100_000 : 10_000);
	});

	it('of more documents than can be read twice within Max Wait is told by results all the same', async () => {
		await used.control.settings({ extractionMs: 1_000 });
		await used.fault('getExtractions', { type: 'delay', ms: 1_000 });
		const numbers = Array.from({ length: 24 }, (_, index) => index + 1);

		const { output } = await run(fromFiles({ maxWait: 30, maxConcurrency: 1 }), BY_RESULTS, {
			items: [await itemOf(...numbers)],
		});

		expect(output.filter(({ json }) => json.error)).toEqual([]);
		expect(new Set(output.map(({ json }) => json.documentId)).size).toBe(24);
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

describe('an extraction by a service that writes empty texts first', () => {
	const results: typeof atlas.results = (...about) =>
		JSON.parse(JSON.stringify(atlas.results(...about)).replaceAll(':null', ':""')) as ReturnType<
			typeof atlas.results
		>;
	const used = useVirtualService({ profile: { ...atlas, results }, ...EMPTY_FIRST });

	it.each([BY_RESULTS, { ...BY_RESULTS, valuesField: '' }])(
		'is not handed on before there are values (%j)',
		async (credential) => {
			const { output } = await runWith(used)(fromFiles({ maxWait: 300 }), credential);

			expect(numbersIn(output)).toEqual(ALL_LETTERS);
		},
	);
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
