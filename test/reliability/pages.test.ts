import type { INodeExecutionData } from 'n8n-workflow';
import type { Fault, FaultMatch } from '../../dev/service/faults';
import { useVirtualService } from '../support/useService';

const ROWS = 900;
const PAGE = 200;
const PAGES = Math.ceil(ROWS / PAGE);

describe('a list that is read in pages', () => {
	const used = useVirtualService();

	beforeEach(async () => await used.control.seed({ documents: ROWS }));

	const LIST = { operation: 'getAll', simple: false, returnAll: true };
	const read = async (resource = 'extraction') => await used.run({ ...LIST, resource });

	const onPage = async (page: number, fault: Fault, match: FaultMatch = {}) =>
		await used.fault('getExtractions', fault, { path: `page=${page}&`, ...match });

	const readWith = async (page: number, fault: Fault, match?: FaultMatch) => {
		await onPage(page, fault, match);
		return await read();
	};

	const answerOf = (body: unknown): Fault => ({ type: 'status', status: 200, body });

	const names = (items: INodeExecutionData[]) => items.map(({ json }) => json.file_name);

	const seeded = Array.from({ length: ROWS }, (_, index) => `SEED-${index + 1}.pdf`);

	const requests = async () => (await used.control.requests('getExtractions')).length;

	it.each([
		['arrive', { insert: 3 }, ROWS + 3],
		['go', { delete: 3 }, ROWS - 3],
	])('is read again when rows %s meanwhile', async (_, shift, count) => {
		const { output, hints } = await readWith(3, { type: 'shiftRows', ...shift }, { times: 1 });

		expect(output).toHaveLength(count);
		expect(new Set(names(output)).size).toBe(count);
		expect(names(output)).toEqual(expect.arrayContaining(seeded.slice(3)));
		expect(hints).toEqual([]);
		expect(await requests()).toBe(2 * PAGES);
	});

	it('is not read for ever when it never settles; a hint says so, and no row is there twice', async () => {
		const { output, hints } = await readWith(3, { type: 'shiftRows', insert: 1 });

		expect(output.length).toBeGreaterThanOrEqual(ROWS);
		expect(new Set(output.map(({ json }) => JSON.stringify(json))).size).toBe(output.length);
		expect(hints).toMatchObject([{ message: expect.stringContaining('4 times in a row') }]);
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

	it.each([1, 5])('fails as a whole when page %d fails', async (page) => {
		const { output, error } = await readWith(page, { type: 'status', status: 403 });

		expect(output).toEqual([]);
		expect(error?.message).toContain('(403)');
	});

	it.each([
		[200, ['a.pdf'], undefined],
		[403, [], expect.stringContaining('The service says: Not for you.') as unknown],
	])('is read at once though its server calls JSON a web page (%s)', async (status, rows, said) => {
		const body = { total: 1, items: [{ file_name: 'a.pdf' }], detail: 'Not for you' };
		const startedAt = performance.now();

		const fault: Fault = { type: 'status', status, body, contentType: 'text/html' };
		const { output, error } = await readWith(1, fault);

		expect(await requests()).toBe(1);
		expect(performance.now() - startedAt).toBeLessThan(1_000);
		expect(names(output)).toEqual(rows);
		expect(error?.description).toEqual(said);
	});

	it('is not read on once a page has failed, though others would still be retried', async () => {
		await onPage(3, { type: 'status', status: 503 });
		await onPage(5, { type: 'delay', ms: 100 });

		const { error } = await readWith(5, { type: 'status', status: 403 });
		expect(error?.message).toContain('(403)');
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
		const { output, error } = await readWith(2, answerOf(body));

		expect(output).toEqual([]);
		expect(error?.message).toBe('The response of the service is not a page of results');
	});

	it.each<[string, unknown, unknown, requests: number]>([
		['once when its rows differ by a field more', { a: 1 }, { a: 1, b: 2 }, 2],
		['once when its rows differ by the name of a field', { a: null }, { b: null }, 2],
		['once when its rows differ deep inside', { a: { b: [1, 2] } }, { a: { b: [1, 3] } }, 2],
		['again when a page begins with a row of the page before', { a: [1] }, { a: [1] }, 4],
	])('is read %s', async (_, first, second, count) => {
		await onPage(1, answerOf({ total: 2, page: 1, items: [first] }));

		const { output } = await readWith(2, answerOf({ total: 2, page: 2, items: [second] }));

		expect(output.map(({ json }) => json)).toEqual([first, second]);
		expect(await requests()).toBe(count);
	});

	it.each<[string, number, unknown[]]>([
		['however many the service promises', 2_000_000_000, [{ a: 1 }]],
		['though it promises some on an empty first page', 5, []],
	])('ends where its rows end, %s, and a hint says so', async (_, total, items) => {
		await onPage(1, answerOf({ total, pages: 9, items }));
		await used.fault('getExtractions', answerOf({ total, pages: 9, items: [] }));

		const { output, hints } = await read();

		expect(output.map(({ json }) => json)).toEqual(items);
		expect(hints).toHaveLength(1);
		expect(await requests()).toBeLessThan(100);
	});

	it('comes whole with more rows than JavaScript takes as the arguments of one call', async () => {
		const body = Array.from({ length: 130_000 }, (_, n) => ({ n, extraction_status: 'done' }));
		await used.fault('getDocuments', answerOf(body));

		const { output } = await read('document');

		expect(output).toHaveLength(body.length);
		expect(output.findIndex(({ json }, index) => json.n !== index)).toBe(-1);
	});
});
