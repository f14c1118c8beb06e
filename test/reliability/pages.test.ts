import type { INodeExecutionData } from 'n8n-workflow';
import type { Fault, FaultMatch } from '../../dev/service/faults';
import { useVirtualService } from '../support/useService';

const ROWS = 900;
const PAGE = 200;
const PAGES = Math.ceil(ROWS / PAGE);
/** The first and the last page are read once more at the end. */
const AT_THE_END = 2;

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
		expect(await requests()).toBe(2 * PAGES + AT_THE_END);
	});

	it('is not read for ever when it never settles; a hint says so', async () => {
		const { output, hints } = await readWith(3, { type: 'shiftRows', insert: 1 });

		expect(output.length).toBeGreaterThanOrEqual(ROWS);
		expect(hints).toMatchObject([{ message: expect.stringContaining('4 times in a row') }]);
		expect(await requests()).toBe(4 * PAGES);
	});

	it.each([0, 1, 1_000_000])(
		'comes whole when the service says that it has %d pages',
		async (pages) => {
			await used.control.faults([{ fault: { type: 'wrongPages', pages } }]);

			const { output } = await read();

			expect(names(output)).toEqual(seeded);
			expect(await requests()).toBe(PAGES + AT_THE_END);
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

	it('is not read on once a page has failed', async () => {
		await onPage(3, { type: 'status', status: 503 });

		const { error } = await readWith(5, { type: 'status', status: 403 });
		expect(error?.message).toContain('(503)');
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
		['once when its rows differ by a field more', { a: 1 }, { a: 1, b: 2 }, 3],
		['once when its rows differ by the name of a field', { a: null }, { b: null }, 3],
		['once when its rows differ deep inside', { a: { b: [1, 2] } }, { a: { b: [1, 3] } }, 3],
		[
			'again when a row stands on two pages, which may be two equal rows',
			{ a: [1] },
			{ a: [1] },
			4,
		],
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

	const LISTS = ['extraction', 'document'] as const;
	const endpointOf = (resource: (typeof LISTS)[number]) =>
		resource === 'extraction' ? 'getExtractions' : 'getDocuments';
	const namesIn = (items: INodeExecutionData[]) =>
		items.map(({ json }) => String(json.file_name ?? json.name)).sort();

	it.each(LISTS)(
		'comes whole when `total` and `pages` count only the page: the list of each %s',
		async (resource) => {
			const fault: Fault = { type: 'wrongPages', pages: 1, isTotalOfPage: true };
			await used.fault(endpointOf(resource), fault);

			const { output, hints } = await read(resource);

			expect(namesIn(output)).toEqual([...seeded].sort());
			expect(hints).toEqual([]);
		},
	);

	it.each(
		LISTS.flatMap((resource) =>
			[1, 3, 200].flatMap((move) => [0, 1, 3, 5].map((skip) => ({ resource, move, skip }))),
		),
	)(
		'neither loses nor doubles a row that moves to the top: %j',
		async ({ resource, move, skip }) => {
			const endpoint = endpointOf(resource);
			await used.fault(endpoint, { type: 'shiftRows', move }, { skip, times: 1 });

			const { output, hints } = await read(resource);

			expect(namesIn(output)).toEqual([...seeded].sort());
			expect(hints).toEqual([]);
		},
	);

	const answerPages = async (...pages: unknown[][]) => {
		const total = pages.flat().length;
		for (const [index, items] of pages.entries())
			await onPage(index + 1, answerOf({ total, page: index + 1, limit: items.length, items }));
		await used.fault('getExtractions', answerOf({ total, items: [] }));
	};

	it('drops no row for being equal to another one, wherever they stand', async () => {
		const line = { item: 'Screws', price: 1.5 };
		const pages = [
			[{ item: 'Nails' }, line, line],
			[line, { item: 'Nuts' }, line],
			[{ item: 'Bolts' }, line, { item: 'Nails' }],
		];
		await answerPages(...pages);

		const { output, hints } = await read();

		expect(output.map(({ json }) => json)).toEqual(pages.flat());
		expect(hints).toEqual([]);
	});

	it('does not double the rows of a page that comes a second time in place of another', async () => {
		const rows = Array.from({ length: 9 }, (_, row) => ({ row }));
		const repeated = { total: 9, page: 3, limit: 3, items: rows.slice(3, 6) };
		await onPage(3, answerOf(repeated), { times: 1 });
		await answerPages(rows.slice(0, 3), rows.slice(3, 6), rows.slice(6));

		const { output } = await read();

		expect(output.map(({ json }) => json)).toEqual(rows);
	});

	it('is refused when all of its pages are alike, even with equal rows on them', async () => {
		await answerPages([{ a: 1 }, { a: 1 }, { a: 2 }], [{ a: 1 }, { a: 1 }, { a: 2 }]);

		const { output, error } = await read();

		expect(output).toEqual([]);
		expect(error?.message).toContain('The list cannot be read page by page');
	});

	it.each([404, 422])(
		'ends without a word where the service refuses a page beyond a full one (%d)',
		async (status) => {
			await onPage(2, { type: 'status', status });
			const items = Array.from({ length: PAGE }, (_, row) => ({ row }));

			const body = { total: PAGE, page: 1, limit: PAGE, items };
			const { output, error, hints } = await readWith(1, answerOf(body));

			expect({ error, hints }).toEqual({ error: undefined, hints: [] });
			expect(output).toHaveLength(PAGE);
		},
	);

	it('is read with fewer rows a page where a page is too large to be read', async () => {
		const fault: Fault = { type: 'huge', bytes: 51_000_000, status: 200 };
		await used.fault('getExtractions', fault, { path: 'limit=(200|100)$' });

		const { output, error } = await read();

		expect(error).toBeUndefined();
		expect(names(output)).toEqual(seeded);
	});
});
