import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { SeedBody } from '../../dev/service/control';
import { PROFILES } from '../support/profiles';
import { useService } from '../support/useService';
import { ApiReference, onTheWire } from './apiReference';
import { documentRows } from './documentRows';

const everyNumber = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

type Used = ReturnType<typeof useService>;

const getManyOf =
	(used: Used, resource: string) =>
	async (parameters: INodeParameters, items?: INodeExecutionData[]) =>
		await used.run({ resource, operation: 'getAll', simple: false, ...parameters }, { items });

describe('Get Many of extractions', () => {
	const used = useService({ profile: 'borealis' });
	const getMany = getManyOf(used, 'extraction');
	const seed = async (wanted: SeedBody) => (await used.control.seed(wanted)).documentIds;

	const extractions = async (parameters: INodeParameters, items?: INodeExecutionData[]) => {
		const run = await getMany(parameters, items);
		expect(run.error).toBeUndefined();
		const reference = new ApiReference(used.service);
		const ids = run.output.map(({ json }) => reference.documentIdIn(json));
		return { ...run, ids };
	};

	const queries = async () =>
		(await used.control.requests('getExtractions'))
			.map(({ query }) => query)
			.sort((a, b) => Number(a.page) - Number(b.page));

	it('returns all of 1,050, in order, 200 a page', async () => {
		const documentIds = await seed({ documents: 1050 });

		const { ids, hints } = await extractions({ returnAll: true });

		expect(ids).toEqual(documentIds);
		expect(hints).toEqual([]);
		expect(await queries()).toEqual(
			everyNumber(6).map((page) => ({ page: String(page), limit: '200' })),
		);
	});

	const NOBODYS = '00000000-0000-4000-8000-000000000000';

	it.each([
		{ documentIdFilter: NOBODYS },
		{ collection: { __rl: true, mode: 'id', value: NOBODYS } },
	])('says what an unknown ID may be: %j', async (parameters) => {
		await seed({ documents: 1 });

		const { output, hints } = await extractions(parameters);

		expect(output).toEqual([]);
		expect(hints.map(({ message }) => message).join()).toContain(`No results for ${NOBODYS}`);
	});

	it.each([
		[7, 7, 1],
		[50, 50, 1],
		[200, 200, 1],
		[201, 201, 2],
		[500, 450, 3],
	])('with a limit of %i returns the first %i of 450', async (limit, count, pages) => {
		const documentIds = await seed({ documents: 450 });

		const { ids } = await extractions({ limit });

		expect(ids).toEqual(documentIds.slice(0, count));
		const size = String(Math.min(limit, 200));
		expect(await queries()).toEqual(
			everyNumber(pages).map((page) => ({ page: String(page), limit: size })),
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
			expect(output).toHaveLength(3);
			expect(output.every(({ json }) => json.documentId)).toBe(true);
		});

		it.each(['data._id', 'data.documents[0].id'])(
			'does not take the ID of a result for one, after %s',
			async (documentIdField) => {
				const results = [1, 2].map((value) => {
					return { _id: `r-${value}`, id: `r-${value}`, heading: 'a', value };
				});
				const body = { total: 2, page: 1, limit: 50, pages: 1, items: results };
				await used.fault('getExtractions', { type: 'status', status: 200, body });
				const { output } = await used.run(
					{ resource: 'extraction', operation: 'getAll' },
					{
						credential: { documentIdField, columnNameField: 'heading', columnValueField: 'value' },
					},
				);

				expect(output.map(({ json }) => json.documentId)).toEqual([null, null]);
			},
		);

		it('is named where the service refuses what it leads to', async () => {
			const { error } = await simplified('value', { limit: 1 });

			expect(error?.message).toContain('(422)');
			expect(error?.description).toContain("correct 'Document ID Field' in the credential");
		});

		it.each(['extraction_status', 'document.column_id', 'workflow_id', 'collection_id'])(
			'is refused before any request where the interface says that it is something else: %s',
			async (documentIdField) => {
				const { error } = await simplified(documentIdField);

				expect(error?.message).toBe(
					`The credential's field 'Document ID Field' leads to '${documentIdField.split('.').at(-1)}', which is not the ID of a document`,
				);
				expect(await queries()).toEqual([]);
			},
		);
	});

	it('returns no item, and no error, where there is none', async () => {
		const { output, status, hints } = await extractions({ returnAll: true });

		expect({ output, status, hints }).toEqual({ output: [], status: 'success', hints: [] });
	});

	it('filters by document, by collection and by both', async () => {
		const [first, second] = used.client.workflow.collections;
		const inFirst = await seed({ documents: 3, collection: first.id });
		const inSecond = await seed({ documents: 2, collection: second.id });
		await seed({ documents: 4 });

		const ids = async (documentIdFilter: string, mode?: string, value?: string) => {
			const chosen = { __rl: true, mode: mode ?? 'list', value: value ?? '' };
			return (await extractions({ documentIdFilter, collection: chosen })).ids;
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
		const get = async (workflowEndpoint?: string) =>
			await used.run(
				{ resource: 'workflow', operation: 'get' },
				{ credential: workflowEndpoint === undefined ? {} : { workflowEndpoint } },
			);

		const other = await get('GET /workflows/{workflow_id}/documents');
		expect(other.hints.map(({ message }) => message).join()).toContain(
			'This may not be the workflow',
		);
		expect((await get()).hints).toEqual([]);
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

	it('follows pages and gives one item for each document, wherever the answer holds them', async () => {
		await used.control.seed({ documents: 130 });

		const { error, output } = await getMany({ returnAll: true });

		expect(error).toBeUndefined();
		const rows = await rowsAnswered();
		expect(output.map(({ json }) => json)).toEqual(rows);
		expect(rows).toHaveLength(130);
	});

	it('returns no more than the limit', async () => {
		await used.control.seed({ documents: 130 });

		const { output } = await getMany({ limit: 7 });

		const requests = await used.control.requests();
		expect(requests.map(onTheWire)).toEqual([new ApiReference(used.service).getDocuments()]);
		expect(output.map(({ json }) => json)).toEqual((await rowsAnswered()).slice(0, 7));
	});

	it('sends free query parameters along with every page', async () => {
		await used.control.seed({ documents: 130 });
		const query = {
			parameters: [
				{ name: ' limit ', value: '100' },
				{ name: 'label', value: 'ü&x=1' },
				{ name: '', value: 'nothing' },
			],
		};

		const { error } = await getMany({ returnAll: true, query });

		expect(error).toBeUndefined();
		const requests = await used.control.requests();
		const free = { limit: '100', label: 'ü&x=1' };
		expect(requests.map(({ query: sent }) => sent)).toEqual(
			requests.map((_, index) => (index === 0 ? free : { ...free, page: `${index + 1}` })),
		);
		expect({ atlas: 2, borealis: 1, cobalt: 1 }[profile]).toBe(requests.length);
	});

	it('gives the page that a query parameter names, and no other', async () => {
		await used.control.seed({ documents: 130 });
		const query = { parameters: [{ name: 'page', value: '3' }] };

		const { output } = await getMany({ returnAll: true, query });

		const requests = await used.control.requests();
		expect(requests.map(({ query: sent }) => sent)).toEqual([{ page: '3' }]);
		expect(output.map(({ json }) => json)).toEqual(await rowsAnswered());
	});
});

describe('Get Many of results, one per column', () => {
	const used = useService({ profile: 'atlas' });

	it('keeps what it read of a document where the service finds less by its ID', async () => {
		const entry = (id: string, name: string) => ({ document_id: id, name, value: `${id} ${name}` });
		const items = [entry('a', 'Total'), entry('a', 'Date'), entry('b', 'Total')];
		const answer = async (path: string, rows: object[]) => {
			const body = { total: rows.length, page: 1, limit: 200, items: rows };
			await used.fault('getExtractions', { type: 'status', status: 200, body }, { path });
		};
		await answer('document_id=', []);
		await answer('page=', items);

		const { output } = await used.run(
			{ resource: 'extraction', operation: 'getAll', simple: true, limit: 1 },
			{ credential: { valuesField: '', columnNameField: 'name', columnValueField: 'value' } },
		);

		expect(output).toEqual([
			expect.objectContaining({ json: { documentId: 'a', Total: 'a Total' } }),
		]);
	});
});

describe('Get Many of documents, where the list has another shape', () => {
	const used = useService({ profile: 'atlas' });
	const getMany = getManyOf(used, 'document');
	const documents = [1, 2].map((number) => ({
		document_id: `D-${number}`,
		extraction_status: 'done',
	}));
	const list = async (body: object, parameters: INodeParameters = { returnAll: true }) => {
		await used.fault('getDocuments', { type: 'status', status: 200, body });
		const { output, hints } = await getMany(parameters);
		expect(output.map(({ json }) => json)).toEqual(documents);
		return hints.map(({ message }) => message);
	};

	it.each([
		['total: 5, pages: 3', { documents, total: 5, pages: 3 }],
		['total_count: 5, has_more: true', { items: documents, total_count: 5, has_more: true }],
		['next_cursor: abc', { data: documents, meta: { page: 1, next_cursor: 'abc' } }],
	])('says that there is more (%s)', async (said, body) => {
		expect(await list(body)).toEqual([
			`The response has more than the 2 rows of this list (${said}), but not in the form that the node can follow. Choose the others with 'Query Parameters', as your API reference describes.`,
		]);
	});

	it.each([
		['all is there', { documents, total: 2, pages: 1, has_more: false, next: null }, {}],
		['no more are wanted', { documents, total: 5 }, { returnAll: false, limit: 2 }],
		['the node can follow it', { items: documents, total: 2, page: 1, more: true }, {}],
	])('says nothing where %s', async (_, body, parameters) => {
		expect(await list(body, { returnAll: true, ...parameters })).toEqual([]);
	});

	it('is not given the workflow of the documents as one of them', async () => {
		expect(await list({ workflow: { extraction_status: 'idle' }, documents })).toEqual([]);
	});
});

describe('Get Many of documents, where pages are not those that were asked for', () => {
	const used = useService({ profile: 'atlas' });
	const getMany = getManyOf(used, 'document');

	const TOTAL = 120;
	const SIZE = 50;

	const rowsFrom = (start: number, end = start + SIZE) =>
		Array.from({ length: Math.min(end, TOTAL) - start }, (_, index) => ({
			document_id: `D-${start + index + 1}`,
			extraction_status: 'done',
		}));

	/** Answers each request as a service does that reads `page` in its own way. */
	const answerPages = async (pages: { [page: string]: object }) => {
		await used.control.faults(
			Object.entries(pages).map(([page, body]) => ({
				match: { operation: 'getDocuments', path: page },
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
