import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { atlas } from '../../dev/service/profiles/atlas';
import { awkwardIds } from '../../dev/service/profiles/variants';
import type { NodeRun } from '../support/nodeEngine';
import { useService } from '../support/useService';
import { ApiReference, onTheWire, type WireRequest } from './apiReference';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

describe('starting extractions', () => {
	// Its columns have numbers for IDs.
	const profile = { ...atlas, ...awkwardIds(atlas) };
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const seed = async (documents: number) => (await used.control.seed({ documents })).documentIds;

	const extract = async (
		parameters: INodeParameters,
		inputs: IDataObject[] = [{}],
		settings: { onError?: 'continueRegularOutput'; credential?: object } = {},
	) =>
		await used.run(
			{ resource: 'extraction', operation: 'extractDocuments', ...parameters },
			{ items: inputs.map((json) => ({ json })), ...settings },
		);

	const sent = async (): Promise<WireRequest[]> => (await used.control.requests()).map(onTheWire);

	const bodiesSent = async () => (await sent()).map(({ body }) => body);

	const pairsOf = ({ output }: NodeRun) =>
		output.map(({ json, pairedItem }) => [json.documentId, pairedItem]);

	it('sends no body, and no type of one, when nothing narrows it: all documents are meant', async () => {
		const id = await used.client.uploadedId({ bytes: 'Invoice number: 7' });

		const { output } = await extract({});

		expect((await sent()).slice(1)).toEqual([
			new ApiReference(used.service).extractBulk(undefined),
		]);
		expect(output).toEqual([
			{
				json: { workflowId: used.client.workflow.id, started: true },
				pairedItem: { item: 0 },
			},
		]);
		const { extractions } = await used.control.ledger();
		expect(extractions).toMatchObject([{ kind: 'bulk', requested: null, documentIds: [id] }]);
	});

	it('sends of all that can narrow it just what was chosen', async () => {
		const [id] = await seed(1);
		const column = String(used.client.workflow.columns[3].id);

		await extract({ documentIds: id, options: { force: false } });
		await extract({ options: { columnIds: [column] } });
		await extract({ options: { force: true } });
		await extract({ documentIds: id, collection: byId(''), options: { columnIds: [] } });

		expect(await bodiesSent()).toEqual([
			{ document_ids: [id] },
			{ column_ids: [column] },
			{ force: true },
			{ document_ids: [id] },
		]);
	});

	it('collects the IDs of all items into one call, each once, and pairs with all that named it', async () => {
		const [a, b, c, d] = await seed(4);
		const inputs = [{ ids: `${b}, ${a},, ${b}` }, { ids: [c, a, ` ${d} `] }, { ids: d }];

		const run = await extract({ documentIds: '={{ $json.ids }}' }, inputs);

		expect(await bodiesSent()).toEqual([{ document_ids: [b, a, c, d] }]);
		expect(pairsOf(run)).toEqual([
			[b, { item: 0 }],
			[a, [{ item: 0 }, { item: 1 }]],
			[c, { item: 1 }],
			[d, [{ item: 1 }, { item: 2 }]],
		]);
	});

	it('makes one call per item when asked to', async () => {
		const [a, b] = await seed(2);

		const ids = [a, b, a];
		const run = await extract(
			{ documentIds: '={{ $json.id }}', options: { calls: 'perItem' } },
			ids.map((id) => ({ id })),
		);

		expect(await bodiesSent()).toEqual(ids.map((id) => ({ document_ids: [id] })));
		expect(pairsOf(run)).toEqual(ids.map((id, item) => [id, { item }]));
	});

	it('puts only such items into one call as ask for the same', async () => {
		const [a, b, c] = await seed(3);
		const { main, second } = used.service.account.environments.test.workflows;
		const [first, ...others] = main.columns.map(({ id }) => String(id));
		const elsewhere = String(second.columns[0].id);
		const [d] = (await used.control.seed({ workflow: second.id })).documentIds;
		const inputs = [
			{ id: a, columns: [first], force: false, workflow: main.id },
			{ id: b, columns: others, force: false, workflow: main.id },
			{ id: d, columns: [elsewhere], force: true, workflow: second.id },
			{ id: c, columns: [first], force: false, workflow: main.id },
		];

		const run = await extract(
			{
				documentIds: '={{ $json.id }}',
				options: {
					columnIds: '={{ $json.columns }}',
					force: '={{ $json.force }}',
					workflowId: '={{ $json.workflow }}',
				},
			},
			inputs,
		);

		const inMain = new ApiReference(used.service);
		const inSecond = new ApiReference(used.service, second);
		expect(await sent()).toEqual([
			inMain.extractBulk({ document_ids: [a, c], column_ids: [first] }),
			inMain.extractBulk({ document_ids: [b], column_ids: others }),
			inSecond.extractBulk({ document_ids: [d], column_ids: [elsewhere], force: true }),
		]);
		expect(pairsOf(run)).toEqual(inputs.map(({ id }, item) => [id, { item }]));
	});

	it('a document fails whose status is among Failed Statuses, even if it is in no other list', async () => {
		const [failed, finished] = await seed(2);
		const statuses = [
			{ document_id: failed, extraction_status: 9 },
			{ document_id: finished, extraction_status: 2 },
		];
		await used.answer('getDocuments', statuses);

		const { error, output } = await extract(
			{ documentIds: `${failed}, ${finished}`, wait: true },
			[{}],
			{
				onError: 'continueRegularOutput',
				credential: { finishedStatuses: '2', failedStatuses: '9' },
			},
		);

		expect(error).toBeUndefined();
		expect(output).toMatchObject([
			{
				json: {
					error: 'The extraction failed (status: 9)',
					details: { documentId: failed, finished: true, extractionStatus: 9 },
				},
			},
			{ json: { documentId: finished, finished: true, extractionStatus: 2 } },
		]);
	});

	it('an item without IDs fails alone, and never means all documents', async () => {
		const [id] = await seed(1);

		const { error, output } = await extract(
			{ documentIds: '={{ $json.id }}' },
			[{ id: '' }, { id }],
			{ onError: 'continueRegularOutput' },
		);

		expect(error).toBeUndefined();
		expect(output).toMatchObject([
			{ json: { id: '', error: expect.stringContaining("in 'Document IDs' gives nothing") } },
			{ json: { documentId: id, started: true }, pairedItem: { item: 1 } },
		]);
		expect(await bodiesSent()).toEqual([{ document_ids: [id] }]);
	});

	it.each([
		['a text', '{"note": "ü", "list": [1]}', { note: 'ü', list: [1] }],
		['an expression', '={{ { note: "ü", list: [1] } }}', { note: 'ü', list: [1] }],
		['an empty object', '{}', {}],
	])('of one document sends the body along that was entered as %s', async (_, body, json) => {
		const documentId = await used.client.uploadedId({ bytes: 'Invoice number: 7' });

		await used.run({
			resource: 'extraction',
			operation: 'extractOne',
			documentId,
			options: { body },
		});

		expect((await sent()).slice(1)).toEqual([
			new ApiReference(used.service).extractOne(documentId, json),
		]);
		const { extractions } = await used.control.ledger();
		expect(extractions).toMatchObject([{ kind: 'single', documentIds: [documentId] }]);
	});
});
