import type { INodeExecutionData } from 'n8n-workflow';
import type { FaultRule } from '../../dev/service/faults';
import { useVirtualService } from '../support/useVirtualService';

const ROWS = 900;
const PAGE = 200;
const PAGES = Math.ceil(ROWS / PAGE);

describe('a list that is read in pages', () => {
	const used = useVirtualService();

	beforeEach(async () => await used.control.seed({ documents: ROWS }));

	const read = async () =>
		await used.run({
			resource: 'extraction',
			operation: 'getAll',
			simple: false,
			returnAll: true,
		});

	const names = (items: INodeExecutionData[]) => items.map(({ json }) => json.file_name);

	const seeded = Array.from({ length: ROWS }, (_, index) => `SEED-${index + 1}.pdf`);

	const onPage = (page: number, rule: FaultRule): FaultRule => ({
		...rule,
		match: { operation: 'getExtractions', path: `page=${page}&`, ...rule.match },
	});

	const requests = async () => (await used.control.requests('getExtractions')).length;

	it.each([
		['arrive', { insert: 3 }],
		['go', { delete: 3 }],
	])('is read again when rows %s meanwhile', async (_, shift) => {
		await used.control.faults([
			onPage(3, { match: { times: 1 }, fault: { type: 'shiftRows', ...shift } }),
		]);

		const { output, hints } = await read();

		const found = names(output);
		expect(new Set(found).size).toBe(found.length);
		expect(found).toEqual(expect.arrayContaining(seeded.slice(3)));
		expect(found).toHaveLength('insert' in shift ? ROWS + 3 : ROWS - 3);
		expect(hints).toEqual([]);
		expect(await requests()).toBe(2 * PAGES);
	});

	it('is not read for ever when it never settles; a hint says so', async () => {
		await used.control.faults([onPage(3, { fault: { type: 'shiftRows', insert: 1 } })]);

		const { output, hints } = await read();

		expect(output.length).toBeGreaterThanOrEqual(ROWS);
		expect(hints).toHaveLength(1);
		expect(hints[0].message).toContain('The list changed while it was read, 4 times in a row.');
		expect(await requests()).toBe(4 * PAGES);
	});

	it.each([0, 1, 1_000_000])(
		'comes whole when the service says that it has %d pages',
		async (pages) => {
			await used.control.faults([{ fault: { type: 'wrongPages', pages } }]);

			const { output } = await read();

			expect(names(output)).toEqual(seeded);
			expect(await requests()).toBe(PAGES);
		},
	);

	// Of the other ways in which a read fails and is done again: retries.test.ts.
	it('comes whole when a page breaks off at first', async () => {
		await used.control.faults([onPage(4, { match: { times: 2 }, fault: { type: 'cutMidBody' } })]);

		const { output } = await read();

		expect(names(output)).toEqual(seeded);
		expect(await requests()).toBe(PAGES + 2);
	});

	it.each([1, 2, 5])('fails as a whole when page %d fails', async (page) => {
		await used.control.faults([onPage(page, { fault: { type: 'status', status: 403 } })]);

		const { output, error } = await read();

		expect(output).toEqual([]);
		expect(error?.message).toBe('The service refused access (403)');
	});

	it('has no row twice, however often it shifts while it is read', async () => {
		await used.control.faults([onPage(3, { fault: { type: 'shiftRows', insert: 1 } })]);

		const { output } = await read();
		const rows = await used.run({ resource: 'extraction', operation: 'getAll', returnAll: true });

		const found = output.map(({ json }) => JSON.stringify(json));
		expect(new Set(found).size).toBe(found.length);
		expect(rows.output.length).toBeGreaterThan(ROWS - PAGES);
		for (const { json } of rows.output) {
			expect(Object.keys(json).filter((name) => name.includes('(2)'))).toEqual([]);
		}
	});

	it.each([
		[200, ['a.pdf'], undefined],
		[403, [], expect.stringContaining('The service says: Not for you.') as unknown],
	])('is read at once though its server calls JSON a web page (%s)', async (status, rows, said) => {
		const body = { total: 1, items: [{ file_name: 'a.pdf' }], detail: 'Not for you' };
		await used.fault('getExtractions', { type: 'status', status, body, contentType: 'text/html' });
		const startedAt = performance.now();

		const { output, error } = await read();

		expect(await requests()).toBe(1);
		expect(performance.now() - startedAt).toBeLessThan(1_000);
		expect(names(output)).toEqual(rows);
		expect(error?.description).toEqual(said);
	});

	it('is not read on once a page has failed, though others would still be retried', async () => {
		await used.control.faults([
			onPage(3, { fault: { type: 'status', status: 503 } }),
			onPage(5, { fault: { type: 'delay', ms: 100 } }),
			onPage(5, { fault: { type: 'status', status: 403 } }),
		]);

		const { error } = await read();
		expect(error?.message).toBe('The service refused access (403)');
		const soFar = await requests();
		await used.time.pass(600_000);

		expect(await requests()).toBe(soFar);
	});

	it.each<[string, unknown]>([
		['a list', [1, 2]],
		['an object', { rows: [] }],
		['a number', 7],
		['items without a total', { items: [] }],
		['a total that is no number', { items: [], total: '9' }],
	])('is refused when a page is %s', async (_, body) => {
		await used.control.faults([onPage(2, { fault: { type: 'status', status: 200, body } })]);

		const { output, error } = await read();

		expect(output).toEqual([]);
		expect(error?.message).toBe('The response of the service is not a page of results');
	});

	const readTwoPages = async (rows: unknown[]) => {
		await used.control.faults(
			rows.map((row, index) => {
				const body = { total: 2, page: index + 1, items: [row] };
				return onPage(index + 1, { fault: { type: 'status', status: 200, body } });
			}),
		);
		const { output } = await read();
		expect(output.map(({ json }) => json)).toEqual(rows);
		return await requests();
	};

	it.each<[string, unknown, unknown]>([
		['a field more', { a: 1 }, { a: 1, b: 2 }],
		['a field less', { a: 1, b: 2 }, { a: 1 }],
		['a field of another name', { a: null }, { b: null }],
		['a list in place of an object', { a: {} }, { a: [] }],
		['another value deep inside', { a: { b: [1, 2] } }, { a: { b: [1, 3] } }],
		['a value in place of nothing', { a: null }, { a: {} }],
	])('is read once when its rows differ by %s', async (_, first, second) => {
		expect(await readTwoPages([first, second])).toBe(2);
	});

	it('is read again when a page begins with a row of the page before', async () => {
		const row = { a: { b: [1, 2] }, c: null };

		expect(await readTwoPages([row, row])).toBe(4);
	});

	it('ends where its rows end, however many the service promises', async () => {
		const body = { total: 2_000_000_000, pages: 9, items: [{ a: 1 }] };
		await used.control.faults([
			onPage(1, { fault: { type: 'status', status: 200, body } }),
			{
				match: { operation: 'getExtractions' },
				fault: { type: 'status', status: 200, body: { ...body, items: [] } },
			},
		]);

		const { output, hints } = await read();

		expect(output).toHaveLength(1);
		expect(hints).toHaveLength(1);
		expect(await requests()).toBeLessThan(100);
	});

	it('an empty first page is looked at again, and told of', async () => {
		const body = { total: 5, page: 1, limit: 200, pages: 1, items: [] };
		await used.fault('getExtractions', { type: 'status', status: 200, body });

		const { output, hints } = await read();

		expect(output).toEqual([]);
		expect(hints).toHaveLength(1);
	});

	it('comes whole with more rows than JavaScript takes as the arguments of one call', async () => {
		const body = Array.from({ length: 130_000 }, (_, n) => ({ n, extraction_status: 'done' }));
		await used.fault('getDocuments', { type: 'status', status: 200, body });

		const { output, error } = await used.run({
			resource: 'document',
			operation: 'getAll',
			returnAll: true,
		});

		expect(error).toBeUndefined();
		expect(output).toHaveLength(body.length);
		expect(output.findIndex(({ json }, index) => json.n !== index)).toBe(-1);
	});
});
