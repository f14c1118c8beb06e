import type { INodeParameters } from 'n8n-workflow';
import type { SeedBody } from '../../dev/service/control';
import { PROFILES } from '../support/serviceContract';
import { useService } from '../support/useService';
import { ApiReference, documentRows } from './apiReference';

const everyNumber = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const EXTRACTIONS = { resource: 'extraction', operation: 'getAll' };

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

	/** The pages that were asked for, each once: the first and the last are read once more at the end. */
	const queries = async () => {
		const requests = await used.control.requests('getExtractions');
		const byPage = new Map(requests.map(({ query }) => [Number(query.page), query]));
		return [...byPage].sort(([a], [b]) => a - b).map(([, query]) => query);
	};

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
		const simplified = async (credential: object, more: INodeParameters = {}) => {
			await seed({ documents: 3, extractionsPerDocument: 6 });
			return await used.run({ ...EXTRACTIONS, ...more }, { credential });
		};

		it.each(['data._id', 'data.documents[0].id'])(
			'does not take the ID of a result for one, after %s',
			async (documentIdField) => {
				const results = ['r-1', 'r-2'].map((id) => ({ _id: id, id, heading: 'a', value: id }));
				await used.answerResults(results);
				const columns = { rows: '.: heading = value' };
				const { output } = await simplified({ ...columns, documentIdField });

				expect(output.map(({ json }) => json.documentId)).toEqual([null, null]);
			},
		);

		it('is named where the service refuses what it leads to', async () => {
			const { error } = await simplified({ documentIdField: 'value' }, { limit: 1 });

			expect(error?.message).toContain('(422)');
			expect(error?.description).toContain("'Document ID Field' in the credential");
		});

		it.each(['extraction_status', 'document.column_id', 'workflow_id', 'collection_id'])(
			'is refused before any request where the interface says that it is something else: %s',
			async (documentIdField) => {
				const { error } = await simplified({ documentIdField });

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
		const ids = async (documentIdFilter: string, mode = 'list', value = '') =>
			await extractions({ documentIdFilter, collection: { __rl: true, mode, value } });

		expect(await ids(inSecond[1])).toEqual([inSecond[1]]);
		expect(await ids('', 'id', first.id)).toEqual(inFirst);
		expect(await ids('', 'list', second.id)).toEqual(inSecond);
		expect(await ids(inFirst[2], 'id', first.id)).toEqual([inFirst[2]]);
		expect(await ids(inFirst[2], 'id', second.id)).toEqual([]);
	});
});

describe.each(PROFILES)('Get Many of documents, as %s', (profile) => {
	const used = useService({ profile });
	const getMany = getManyOf(used, 'document');

	/** The documents that the service answered with. */
	const rowsAnswered = async () => {
		const requests = await used.control.requests('getDocuments');
		const byPage = new Map(requests.map((request) => [Number(request.query.page ?? 1), request]));
		return [...byPage].sort(([a], [b]) => a - b).flatMap(([, { answer }]) => documentRows(answer));
	};

	const freeQuery = (query: { [name: string]: string }) => ({
		returnAll: true,
		query: { parameters: Object.entries(query).map(([name, value]) => ({ name, value })) },
	});

	const queries = async () => (await used.control.requests()).map(({ query }) => query);

	beforeEach(async () => await used.control.seed({ documents: 130 }));

	it('follows pages and gives one item for each document, wherever the answer holds them', async () => {
		const { output } = await getMany({ returnAll: true });

		const rows = await rowsAnswered();
		expect(output.map(({ json }) => json)).toEqual(rows);
		expect(rows).toHaveLength(130);
	});

	it('returns no more than the limit', async () => {
		const { output } = await getMany({ limit: 7 });

		expect(await queries()).toEqual([{}]);
		expect(output.map(({ json }) => json)).toEqual((await rowsAnswered()).slice(0, 7));
	});

	it('sends free query parameters along with every page', async () => {
		const free = { limit: '100', label: 'ü&x=1' };
		const { error } = await getMany(
			freeQuery({ ' limit ': free.limit, label: free.label, '': 'nothing' }),
		);

		expect(error).toBeUndefined();
		const others = profile === 'atlas' ? ['2', '1'] : [];
		expect(await queries()).toEqual([free, ...others.map((page) => ({ ...free, page }))]);
	});

	it('gives the page that a query parameter names, and no other', async () => {
		const { output } = await getMany(freeQuery({ page: '3' }));

		expect(await queries()).toEqual([{ page: '3' }]);
		expect(output.map(({ json }) => json)).toEqual(await rowsAnswered());
	});
});

describe('Get Many of results, one per column', () => {
	const used = useService({ profile: 'atlas' });
	const entry = (document_id: string, name: string) => ({ document_id, name, value: name });

	it.each([
		['more', ['Total', 'Date'], ['Total', 'Date']],
		['less, and keeps what it read,', [], ['Total']],
	])('reads a document by its ID: the service finds %s there', async (_, there, expected) => {
		await used.answerResults(
			there.map((name) => entry('a', name)),
			{ path: 'document_id=' },
		);
		await used.answerResults([entry('a', 'Total'), entry('b', 'Total')]);

		const { output } = await used.run(
			{ ...EXTRACTIONS, limit: 1 },
			{ credential: { rows: '.: name = value' } },
		);

		const columns = Object.fromEntries(expected.map((name) => [name, name]));
		expect(output.map(({ json }) => json)).toEqual([{ documentId: 'a', ...columns }]);
	});
});

describe('Get Many of documents, where the list has another shape', () => {
	const used = useService({ profile: 'atlas' });
	const getMany = getManyOf(used, 'document');
	const rowsFrom = (start: number, count = 50) =>
		everyNumber(count).map((n) => ({ document_id: `D-${start + n}`, extraction_status: 'done' }));
	const documents = rowsFrom(0, 2);
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
		await used.answer('getDocuments', body);

		const { output, hints } = await getMany(parameters);

		expect(output.map(({ json }) => json)).toEqual(documents);
		expect(hints).toHaveLength(count);
	});

	it.each([
		['`page` is the number of the first row', 120, 2],
		['the total counts something else', 3, 50],
	])(
		'says that pages are not those it asked for, and how to read the list: %s',
		async (_, total, second) => {
			await used.answer('getDocuments', { total, items: rowsFrom(second) }, { path: 'page=2' });
			await used.answer('getDocuments', { total, items: rowsFrom(3) }, { path: 'page=3' });
			await used.answer('getDocuments', { total, items: rowsFrom(0) });

			const { error, output } = await getMany({ returnAll: true });

			expect(output).toEqual([]);
			expect(error?.message).toContain('The list cannot be read page by page');
			expect(error?.description).toContain('Its pages repeat rows, or contain more rows than');
		},
	);

	it('does not complain of rows that say too little to be told apart', async () => {
		const items = everyNumber(50).map(() => ({ extraction_status: 'done' }));
		await used.answer('getDocuments', { total: 100, items });

		const { error, output } = await getMany({ returnAll: true });

		expect(error).toBeUndefined();
		expect(output).toHaveLength(100);
	});
});
