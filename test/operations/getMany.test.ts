import type { INodeParameters } from 'n8n-workflow';
import type { SeedBody } from '../../dev/service/control';
import { PROFILES } from '../support/profiles';
import { useService } from '../support/useService';
import { ApiReference } from './apiReference';
import { documentRows } from './documentRows';

const everyNumber = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

type Used = ReturnType<typeof useService>;

const getManyOf = (used: Used, resource: string) => async (parameters: INodeParameters) =>
	await used.run({ resource, operation: 'getAll', simple: false, ...parameters });

describe('Get Many of extractions', () => {
	const used = useService({ profile: 'borealis' });
	const getMany = getManyOf(used, 'extraction');
	const seed = async (wanted: SeedBody) => (await used.control.seed(wanted)).documentIds;

	const extractions = async (parameters: INodeParameters) => {
		const { error, output } = await getMany(parameters);
		expect(error).toBeUndefined();
		const reference = new ApiReference(used.service);
		return output.map(({ json }) => reference.documentIdIn(json));
	};

	const queries = async () =>
		(await used.control.requests('getExtractions'))
			.map(({ query }) => query)
			.sort((a, b) => Number(a.page) - Number(b.page));

	const NOBODYS = '00000000-0000-4000-8000-000000000000';

	it.each([
		{ documentIdFilter: NOBODYS },
		{ collection: { __rl: true, mode: 'id', value: NOBODYS } },
	])('says what an unknown ID may be: %j', async (parameters) => {
		await seed({ documents: 1 });

		const { output, hints } = await getMany(parameters);

		expect(output).toEqual([]);
		expect(hints.map(({ message }) => message).join()).toContain(`No results for ${NOBODYS}`);
	});

	it.each<[INodeParameters, count: number, size: number, pages: number]>([
		[{ limit: 7 }, 7, 7, 1],
		[{ limit: 200 }, 200, 200, 1],
		[{ limit: 201 }, 201, 200, 2],
		[{ limit: 1_100 }, 1_050, 200, 6],
		[{ returnAll: true }, 1_050, 200, 6],
	])('with %j returns the first %i of 1,050, in order', async (parameters, count, size, pages) => {
		const documentIds = await seed({ documents: 1_050 });

		expect(await extractions(parameters)).toEqual(documentIds.slice(0, count));
		expect(await queries()).toEqual(
			everyNumber(pages).map((page) => ({ page: String(page), limit: String(size) })),
		);
	});

	describe('where Document ID Field is wrong, Simplify on', () => {
		const simplified = async (documentIdField: string, more: INodeParameters = {}) => {
			await seed({ documents: 3, extractionsPerDocument: 6 });
			return await used.run(
				{ resource: 'extraction', operation: 'getAll', ...more },
				{ credential: { documentIdField } },
			);
		};

		it('reads a path that fits only uploads by its last name', async () => {
			const { error, output } = await simplified('result.documents[0].doc_ref');

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => Boolean(json.documentId))).toEqual([true, true, true]);
		});

		it.each(['data._id', 'data.documents[0].id'])(
			'does not take the ID of a result for one, after %s',
			async (documentIdField) => {
				const items = ['r-1', 'r-2'].map((id) => ({ _id: id, id, heading: 'a', value: id }));
				const body = { total: 2, page: 1, limit: 50, pages: 1, items };
				await used.fault('getExtractions', { type: 'status', status: 200, body });
				const credential = { columnNameField: 'heading', columnValueField: 'value' };
				const { output } = await used.run(
					{ resource: 'extraction', operation: 'getAll' },
					{ credential: { ...credential, documentIdField } },
				);

				expect(output.map(({ json }) => json.documentId)).toEqual([null, null]);
			},
		);

		it('is named where the service refuses what it leads to', async () => {
			const { error } = await simplified('value', { limit: 1 });

			expect(error?.message).toContain('(422)');
			expect(error?.description).toContain("'Document ID Field' in the credential");
		});

		it.each(['extraction_status', 'document.column_id', 'workflow_id', 'collection_id'])(
			'is refused before any request where the interface says that it is something else: %s',
			async (documentIdField) => {
				const { error } = await simplified(documentIdField);

				expect(error?.message).toContain('which is not the ID of a document');
				expect(await queries()).toEqual([]);
			},
		);
	});

	it('returns no item, and no error, where there is none', async () => {
		const { output, error, hints } = await getMany({ returnAll: true });

		expect({ output, error, hints }).toEqual({ output: [], error: undefined, hints: [] });
	});

	it('filters by document, by collection and by both', async () => {
		const [first, second] = used.client.workflow.collections;
		const inFirst = await seed({ documents: 3, collection: first.id });
		const inSecond = await seed({ documents: 2, collection: second.id });
		await seed({ documents: 4 });

		const ids = async (documentIdFilter: string, mode?: string, value?: string) => {
			const chosen = { __rl: true, mode: mode ?? 'list', value: value ?? '' };
			return await extractions({ documentIdFilter, collection: chosen });
		};

		expect(await ids(inSecond[1])).toEqual([inSecond[1]]);
		expect(await ids('', 'id', first.id)).toEqual(inFirst);
		expect(await ids('', 'list', second.id)).toEqual(inSecond);
		expect(await ids(inFirst[2], 'id', first.id)).toEqual([inFirst[2]]);
		expect(await ids(inFirst[2], 'id', second.id)).toEqual([]);
	});
});

describe('Get of a workflow', () => {
	const used = useService({ profile: 'borealis' });

	it('says where another endpoint has answered', async () => {
		const hintsOf = async (credential: object) =>
			(await used.run({ resource: 'workflow', operation: 'get' }, { credential })).hints;

		const other = { workflowEndpoint: 'GET /workflows/{workflow_id}/documents' };
		expect(await hintsOf(other)).toHaveLength(1);
		expect(await hintsOf({})).toEqual([]);
	});
});

describe.each(PROFILES)('Get Many of documents, as %s', (profile) => {
	const used = useService({ profile });
	const getMany = getManyOf(used, 'document');

	/** The documents that the service answered with. */
	const rowsAnswered = async () => {
		const requests = await used.control.requests('getDocuments');
		return requests
			.sort((a, b) => Number(a.query.page ?? 1) - Number(b.query.page ?? 1))
			.flatMap(({ answer }) => documentRows(answer));
	};

	const freeQuery = (parameters: Array<{ name: string; value: string }>) => ({
		returnAll: true,
		query: { parameters },
	});

	const queries = async () => (await used.control.requests()).map(({ query }) => query);

	it('follows pages and gives one item for each document, wherever the answer holds them', async () => {
		await used.control.seed({ documents: 130 });

		const { output } = await getMany({ returnAll: true });

		const rows = await rowsAnswered();
		expect(output.map(({ json }) => json)).toEqual(rows);
		expect(rows).toHaveLength(130);
	});

	it('returns no more than the limit', async () => {
		await used.control.seed({ documents: 130 });

		const { output } = await getMany({ limit: 7 });

		expect(await queries()).toEqual([{}]);
		expect(output.map(({ json }) => json)).toEqual((await rowsAnswered()).slice(0, 7));
	});

	it('sends free query parameters along with every page', async () => {
		await used.control.seed({ documents: 130 });
		const free = { limit: '100', label: 'ü&x=1' };
		const { error } = await getMany(
			freeQuery([
				{ name: ' limit ', value: free.limit },
				{ name: 'label', value: free.label },
				{ name: '', value: 'nothing' },
			]),
		);

		expect(error).toBeUndefined();
		const nextPage = profile === 'atlas' ? [{ ...free, page: '2' }] : [];
		expect(await queries()).toEqual([free, ...nextPage]);
	});

	it('gives the page that a query parameter names, and no other', async () => {
		await used.control.seed({ documents: 130 });

		const { output } = await getMany(freeQuery([{ name: 'page', value: '3' }]));

		expect(await queries()).toEqual([{ page: '3' }]);
		expect(output.map(({ json }) => json)).toEqual(await rowsAnswered());
	});
});

describe('Get Many of results, one per column', () => {
	const used = useService({ profile: 'atlas' });

	it('keeps what it read of a document where the service finds less by its ID', async () => {
		const entry = (id: string, name: string) => ({ document_id: id, name, value: `${id} ${name}` });
		const answer = async (path: string, items: object[]) => {
			const body = { total: items.length, page: 1, limit: 200, items };
			await used.fault('getExtractions', { type: 'status', status: 200, body }, { path });
		};
		await answer('document_id=', []);
		await answer('page=', [entry('a', 'Total'), entry('a', 'Date'), entry('b', 'Total')]);

		const { output } = await used.run(
			{ resource: 'extraction', operation: 'getAll', simple: true, limit: 1 },
			{ credential: { valuesField: '', columnNameField: 'name', columnValueField: 'value' } },
		);

		expect(output.map(({ json }) => json)).toEqual([{ documentId: 'a', Total: 'a Total' }]);
	});
});

describe('Get Many of documents, where the list has another shape', () => {
	const used = useService({ profile: 'atlas' });
	const getMany = getManyOf(used, 'document');
	const documents = [1, 2].map((number) => ({
		document_id: `D-${number}`,
		extraction_status: 'done',
	}));

	const all = { returnAll: true };

	it.each<[what: string, hints: number, parameters: INodeParameters, body: object]>([
		['total: 5, pages: 3', 1, all, { documents, total: 5, pages: 3 }],
		['has_more', 1, all, { items: documents, total_count: 5, has_more: true }],
		['next_cursor', 1, all, { data: documents, meta: { page: 1, next_cursor: 'abc' } }],
		['all is there', 0, all, { documents, total: 2, pages: 1, has_more: false, next: null }],
		['no more are wanted', 0, { limit: 2 }, { documents, total: 5 }],
		['the node can follow it', 0, all, { items: documents, total: 2, page: 1, more: true }],
		['the workflow is no document', 0, all, { workflow: { extraction_status: 'x' }, documents }],
	])('says that there is more, and only then (%s)', async (_, count, parameters, body) => {
		await used.fault('getDocuments', { type: 'status', status: 200, body });

		const { output, hints } = await getMany(parameters);

		expect(output.map(({ json }) => json)).toEqual(documents);
		expect(hints).toHaveLength(count);
	});
});

describe('Get Many of documents, where pages are not those that were asked for', () => {
	const used = useService({ profile: 'atlas' });
	const getMany = getManyOf(used, 'document');

	const TOTAL = 120;
	const SIZE = 50;

	const rowsFrom = (start: number) =>
		everyNumber(TOTAL)
			.slice(start, start + SIZE)
			.map((number) => ({ document_id: `D-${number}`, extraction_status: 'done' }));

	/** Answers each request as a service does that reads `page` in its own way. */
	const answerPages = async (pages: { [page: string]: object }) => {
		await used.control.faults(
			Object.entries(pages).map(([path, body]) => ({
				match: { operation: 'getDocuments', path },
				fault: { type: 'status', status: 200, body },
			})),
		);
	};

	const FIRST = { total: TOTAL, items: rowsFrom(0) };

	const REPEATED = 'Its pages repeat rows, or have more than the service says that there are.';

	it.each<[string, { [page: string]: object }, string]>([
		['`page` is ignored', { '.': FIRST }, REPEATED],
		[
			'`page` is the number of the first row',
			{
				'page=2': { total: TOTAL, items: rowsFrom(2) },
				'page=3': { total: TOTAL, items: rowsFrom(3) },
				'.': FIRST,
			},
			REPEATED,
		],
		['the total counts something else', { '.': { total: 3, items: rowsFrom(0) } }, REPEATED],
		[
			'another page comes, and says so',
			{ '.': { ...FIRST, page: 1 } },
			'The node asked for page 2 and got page 1',
		],
	])('says so, and how to read the list: %s', async (_, pages, what) => {
		await answerPages(pages);

		const { error, output } = await getMany({ returnAll: true });

		expect(output).toEqual([]);
		expect(error?.message).toContain('The list cannot be read page by page');
		expect(error?.description).toContain(what);
	});

	it('reads a first page by the advice', async () => {
		await answerPages({ 'offset=50': { total: TOTAL, items: rowsFrom(50) }, '.': FIRST });
		const query = { parameters: [{ name: 'offset', value: '50' }] };

		const { error, output } = await getMany({ limit: SIZE, query });

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json)).toEqual(rowsFrom(50));
	});

	it('does not complain of rows that say too little to be told apart', async () => {
		const alike = Array.from({ length: SIZE }, () => ({ extraction_status: 'done' }));
		await answerPages({ '.': { total: 2 * SIZE, items: alike } });

		const { error, output } = await getMany({ returnAll: true });

		expect(error).toBeUndefined();
		expect(output).toHaveLength(2 * SIZE);
	});
});
