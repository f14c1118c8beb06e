import type { INodeParameters } from 'n8n-workflow';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { runNode } from '../support/n8n';
import { find } from '../support/serviceClient';
import { useVirtualService } from '../support/useVirtualService';
import {
	BY_RESULTS,
	BY_STATUSES,
	BY_WORKFLOW,
	extract,
	fromFiles,
	itemOf,
	numbersIn,
	runWith,
} from './waitingRuns';

describe('several executions with one key', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 0, extractionMs: 5_000 });

	const together = async (
		parameters: INodeParameters,
		credential: { [detail: string]: string },
		count: number,
	) => {
		const files = (n: number) => itemOf(...[1, 2, 3].map((file) => 3 * n + file));
		const items = await Promise.all([...Array(count).keys()].map(files));
		const runs = items.map(async (item) =>
			runNode({ parameters, items: [item], credential: used.service.credential(credential) }),
		);
		return await used.time.run(Promise.all(runs));
	};

	it('do not flood it under a rate limit: all is whole long before Max Wait', async () => {
		await used.control.settings({ rate: { limit: 30, windowMs: 60_000, retryAfter: 'seconds' } });
		const start = performance.now();

		const runs = await together({ ...fromFiles({}), simple: true }, BY_WORKFLOW, 4);

		const items = runs.flatMap(({ output }) => output.map(({ json }) => json));
		expect(items.filter(({ complete, error }) => complete === false || error)).toEqual([]);
		expect(items).toHaveLength(12);
		expect(performance.now() - start).toBeLessThan(240_000);
		const asked = await used.control.requests('getWorkflow');
		expect(asked.filter(({ status }) => status === 200).length).toBeLessThan(40);
	});

	it('ask once for what all of them wait to ask, and each gets the response', async () => {
		await used.control.busy(used.client.workflow.id, 20_000);
		const parameters = { resource: 'workflow', operation: 'waitUntilExtracted', options: {} };
		const alone = await together(parameters, {}, 1);
		const [first] = alone[0].output;
		const seenAlone = (await used.control.requests('getWorkflow')).length;
		await used.control.busy(used.client.workflow.id, 20_000);
		await used.control.settings({ rate: { limit: 12, windowMs: 60_000, retryAfter: 'seconds' } });
		const before = (await used.control.requests('getWorkflow')).length;

		const runs = await together(parameters, {}, 4);

		expect(runs.map(({ output }) => output[0].json.finished)).toEqual(Array(4).fill(true));
		const [one, other] = runs.map(({ output }) => output[0].json.workflow);
		expect(one).toEqual(first.json.workflow);
		expect(one).not.toBe(other);
		expect((await used.control.requests('getWorkflow')).length - before).toBeLessThan(
			2 * seenAlone,
		);
	});
});

describe('the columns of earlier documents', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 0, extractionMs: 2_000 });

	/** Files with a value for each column. */
	const invoices = async (...numbers: number[]) =>
		await binaryItem({
			json: {},
			files: Object.fromEntries(
				numbers.map((number) => [
					`file_${number}`,
					textFile(
						`invoice-${number}.txt`,
						`Invoice number: L-${number}\nSupplier: Nord\nInvoice date: 2025-01-0${number}\nTotal: 12.50\nCurrency: EUR\nYour reference: R-${number}\nLine items\nItem\tPrice\nPen\t12.50\n`,
					),
				]),
			),
		});

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

		expect(numbersIn(second.output)).toEqual(new Set(['L-1', 'L-2', 'L-3']));
		expect(second.output.some(({ json }) => json.complete === false)).toBe(false);
		expect(first.ms).toBeGreaterThan(8_000);
		expect(second.ms).toBeLessThan(6_000);
	});

	it('are still to come where values have paused', async () => {
		await run(BY_RESULTS);
		await used.control.settings({ resultShape: 'growing', resultPauseMs: 9_000 });

		const { output, ms } = await run(BY_RESULTS);

		const columns = { 'Document number': 'L-1', Reference: 'R-1', Total: 12.5 };
		expect(output[0].json).toMatchObject(columns);
		expect(output.some(({ json }) => json.complete === false)).toBe(false);
		expect(ms).toBeGreaterThan(50_000);
		expect(ms).toBeLessThan(80_000);
	});

	it('tell nothing while those documents still grow', async () => {
		await used.control.settings({ resultShape: 'growing', resultPauseMs: 6_000 });
		const parameters = { ...fromFiles({}), simple: true };
		const credential = used.service.credential(BY_RESULTS);
		const runs = [1, 2].map(async (number) => {
			await new Promise((begin) => setTimeout(begin, 9_000 * (number - 1)));
			return await runNode({ parameters, items: [await invoices(number)], credential });
		});

		const [first, second] = await used.time.run(Promise.all(runs));

		for (const { output } of [first, second]) {
			const isWhole = 'Line items' in output[0].json && 'Reference' in output[0].json;
			expect(isWhole || output[0].json.complete === false).toBe(true);
		}
	});

	it('are not known where it is not known where results hold them', async () => {
		const raw = { useResponseFields: false };
		await run({ ...BY_RESULTS, ...raw });
		const second = await run({ ...BY_RESULTS, ...raw });

		expect(second.ms).toBeGreaterThan(5_000);
		const pages = (await used.control.requests('getExtractions')).filter(
			({ query }) => !('document_id' in query),
		);
		expect(pages).toEqual([]);
	});
});

describe('Force, with Finished Statuses', () => {
	const used = useVirtualService({ profile: 'atlas', startMs: 8_000, extractionMs: 5_000 });

	it('does not take the old status for a new one', async () => {
		const { documentIds } = await used.control.seed({ documents: 1 });
		const start = performance.now();

		const { output } = await runWith(used)(extract(documentIds, { force: true }), {});

		expect(output).toMatchObject([{ json: { finished: true } }]);
		expect(output[0].json.complete).toBeUndefined();
		expect(performance.now() - start).toBeGreaterThan(13_000);
	});

	it('says so where no other status was seen', async () => {
		await used.control.settings({ startMs: 120_000 });
		const { documentIds } = await used.control.seed({ documents: 1 });

		const { output, hints } = await runWith(used)(extract(documentIds, { force: true }), {});

		expect(output).toMatchObject([{ json: { finished: true, complete: false } }]);
		expect(hints.map(({ message }) => message).join()).toContain('the values may be the old ones');
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
	])(
		'%s: a Retry-After that is longer than a request waits (Max Wait: %i)',
		async (_, maxWait, seconds, finished) => {
			const fault = { type: 'status', status: 429, headers: { 'retry-after': '600' } } as const;
			await used.fault('getWorkflow', fault, { skip: 1, times: 1 });
			await used.control.busy(used.client.workflow.id, 30_000);
			const start = performance.now();

			const { output } = await waitForWorkflow({ maxWait, onTimeout: 'status' });

			expect(output).toMatchObject([{ json: { finished } }]);
			expect(performance.now() - start).toBeGreaterThanOrEqual(seconds * 1_000);
			expect(performance.now() - start).toBeLessThan((seconds + 100) * 1_000);
		},
	);

	it('survives a TLS handshake that fails once', async () => {
		let connections = 0;
		used.network.failure = () => (++connections === 6 ? 'EPROTO' : undefined);

		const { error, output } = await run(fromFiles({}), BY_WORKFLOW);
		used.network.failure = () => undefined;

		expect(connections).toBeGreaterThan(6);
		expect(error).toBeUndefined();
		expect(numbersIn(output)).toEqual(new Set(['L-1', 'L-2', 'L-3']));
	});

	it('shows a status that is an object', async () => {
		const { documentIds } = await used.control.seed({ documents: 1 });
		const body = {
			items: documentIds.map((id) => ({ document_id: id, extraction_status: { code: 7 } })),
		};
		await used.fault('getDocuments', { type: 'status', status: 200, body });

		const { error } = await run(extract(documentIds, { options: { maxWait: 2 } }), {});

		expect(error?.description).toContain('last status: {"code":7}.');
		expect(error?.description).not.toContain('[object Object]');
	});

	it('goes by the status of the document itself, not of one that it replaced', async () => {
		const [id] = (await used.control.seed({ documents: 1 })).documentIds;
		const [done] = used.service.account.apiDetails.finishedStatuses.split(',');
		const body = [
			{ uid: id, extraction_status: 'PROCESSING' },
			{ uid: 'old', extraction_status: done.trim(), superseded_by: id },
			{ uid: 'older', extraction_status: done.trim(), history: { next: id } },
			{ document_id: 'copy', extraction_status: done.trim(), duplicate_of: id },
		];
		await used.fault('getDocuments', { type: 'status', status: 200, body });

		const { error } = await run(extract([id], { options: { maxWait: 20 } }), {});

		expect(error?.description).toContain('last status: PROCESSING.');
	});

	it('takes no workflow of a list for its own', async () => {
		const body = { workflows: [{ id: 'other', is_extracting: false }] };
		await used.fault('getWorkflow', { type: 'status', status: 200, body });

		const { error, output } = await waitForWorkflow();

		expect(output).toEqual([]);
		expect(error?.message).toContain("does not contain 'is_extracting'");
	});

	it('keeps rows that a later read does not show', async () => {
		const empty = { total: 0, page: 1, limit: 200, pages: 0, items: [] };
		await used.fault(
			'getExtractions',
			{ type: 'status', status: 200, body: empty },
			{ path: 'document_id', skip: 6 },
		);

		const { output } = await run(fromFiles({}), BY_STATUSES);

		expect(numbersIn(output)).toEqual(new Set(['L-1', 'L-2', 'L-3']));
		expect(find(output, 'extraction')).not.toBeNull();
	});

	it('says nothing of rows that moved if a later look was whole', async () => {
		const row = (number: number) => ({ document_id: 'x', name: `n${number}`, value: number });
		const page = (total: number) => ({ total, page: 1, limit: 200, pages: 1, items: [row(1)] });
		// The first look finds fewer rows than the list says, each of the four times.
		await used.fault(
			'getExtractions',
			{ type: 'status', status: 200, body: { ...page(2), items: [] } },
			{ path: 'document_id', times: 4 },
		);

		const { hints, output } = await run(fromFiles({}), BY_STATUSES, { items: [await itemOf(1)] });

		expect(numbersIn(output)).toEqual(new Set(['L-1']));
		expect(hints.map(({ message }) => message).join()).not.toContain('may be missing');
	});
});
