import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { textFile } from '../support/files';
import { useService } from '../support/useService';
import { useVirtualService } from '../support/useVirtualService';
import { ApiReference, onTheWire, type WireRequest } from './apiReference';
import { extract as waitingExtraction } from './waitingRuns';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

describe('starting extractions', () => {
	// Its columns have numbers for IDs.
	const used = useService({ profile: 'cobalt', extractionMs: 30, startMs: 10 });

	const seed = async (documents: number) => (await used.control.seed({ documents })).documentIds;

	const extract = async (
		parameters: INodeParameters,
		inputs: IDataObject[] = [{}],
		settings: { onError?: 'continueRegularOutput' } = {},
	) =>
		await used.run(
			{ resource: 'extraction', operation: 'extractDocuments', ...parameters },
			{ items: inputs.map((json) => ({ json })), ...settings },
		);

	const sent = async (): Promise<WireRequest[]> => (await used.control.requests()).map(onTheWire);

	const bodiesSent = async () => (await sent()).map(({ body }) => body);

	it('sends no body, and no type of one, when nothing narrows it: all documents are meant', async () => {
		const id = await used.client.uploadedId({ bytes: 'Invoice number: 7' });
		const before = (await sent()).length;

		const { error, output } = await extract({});

		expect(error).toBeUndefined();
		expect((await sent()).slice(before)).toEqual([
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
		const [collection] = used.client.workflow.collections;
		const column = String(used.client.workflow.columns[3].id);

		await extract({ documentIds: id });
		await extract({ collection: byId(collection.id) });
		await extract({ collection: { __rl: true, mode: 'list', value: collection.id } });
		// Who writes a workflow by hand may leave the mode out, or n8n's mark.
		await extract({ collection: collection.id });
		await extract({ collection: '={{ $json.deal }}' }, [{ deal: collection.id }]);
		await extract({ collection: { mode: 'list', value: collection.id } });
		await extract({ options: { columnIds: [column] } });
		await extract({ force: true });
		await extract({ documentIds: id, force: false });
		await extract({
			documentIds: id,
			collection: byId(''),
			options: { columnIds: [], workflowId: '' },
		});

		expect(await bodiesSent()).toEqual([
			{ document_ids: [id] },
			{ collection_id: collection.id },
			{ collection_id: collection.id },
			{ collection_id: collection.id },
			{ collection_id: collection.id },
			{ collection_id: collection.id },
			{ column_ids: [column] },
			{ force: true },
			{ document_ids: [id] },
			{ document_ids: [id] },
		]);
	});

	it('collects the IDs of all items into one call, each once, and pairs with all that named it', async () => {
		const [a, b, c, d] = await seed(4);
		const inputs = [{ ids: `${b}, ${a},, ${b}` }, { ids: [c, a, ` ${d} `] }, { ids: d }];

		const { error, output } = await extract({ documentIds: '={{ $json.ids }}' }, inputs);

		expect(error).toBeUndefined();
		expect(await bodiesSent()).toEqual([{ document_ids: [b, a, c, d] }]);
		expect(output.map(({ json, pairedItem }) => [json.documentId, pairedItem])).toEqual([
			[b, { item: 0 }],
			[a, [{ item: 0 }, { item: 1 }]],
			[c, { item: 1 }],
			[d, [{ item: 1 }, { item: 2 }]],
		]);
	});

	it('makes one call per item when asked to', async () => {
		const [a, b] = await seed(2);

		const { output } = await extract({ documentIds: '={{ $json.id }}', calls: 'perItem' }, [
			{ id: a },
			{ id: b },
			{ id: a },
		]);

		expect(await bodiesSent()).toEqual([
			{ document_ids: [a] },
			{ document_ids: [b] },
			{ document_ids: [a] },
		]);
		expect(output.map(({ json, pairedItem }) => [json.documentId, pairedItem])).toEqual([
			[a, { item: 0 }],
			[b, { item: 1 }],
			[a, { item: 2 }],
		]);
	});

	it('puts only such items into one call as ask for the same', async () => {
		const [a, b, c] = await seed(3);
		const columns = used.client.workflow.columns.map(({ id }) => String(id));
		const { second } = used.service.account.environments.test.workflows;
		const elsewhereColumns = second.columns.slice(0, 1).map(({ id }) => String(id));
		const { documentIds: elsewhere } = await used.control.seed({ workflow: second.id });

		const { error, output } = await extract(
			{
				documentIds: '={{ $json.id }}',
				force: '={{ $json.force }}',
				options: { columnIds: '={{ $json.columns }}', workflowId: '={{ $json.workflow }}' },
			},
			[
				{ id: a, columns: columns.slice(0, 1), force: false, workflow: used.client.workflow.id },
				{ id: b, columns: columns.slice(1, 3), force: false, workflow: used.client.workflow.id },
				{ id: elsewhere[0], columns: elsewhereColumns, force: true, workflow: second.id },
				{ id: c, columns: columns.slice(0, 1), force: false, workflow: used.client.workflow.id },
			],
		);

		expect(error).toBeUndefined();
		const main = new ApiReference(used.service);
		expect(await sent()).toEqual([
			main.extractBulk({ document_ids: [a, c], column_ids: columns.slice(0, 1) }),
			main.extractBulk({ document_ids: [b], column_ids: columns.slice(1, 3) }),
			new ApiReference(used.service, second).extractBulk({
				document_ids: elsewhere,
				column_ids: elsewhereColumns,
				force: true,
			}),
		]);
		expect(output.map(({ json, pairedItem }) => [json.documentId, pairedItem])).toEqual([
			[a, { item: 0 }],
			[b, { item: 1 }],
			[elsewhere[0], { item: 2 }],
			[c, { item: 3 }],
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

	it('extracts again only when forced to', async () => {
		const [id] = await seed(1);

		await extract({ documentIds: id });
		await extract({ documentIds: id, force: true });

		const { extractions } = await used.control.ledger();
		expect(extractions.map(({ documentIds }) => documentIds)).toEqual([[], [id]]);
	});

	it('says of a column that does not exist which field names it', async () => {
		const { error } = await extract({ options: { columnIds: ['999999'] } });

		expect(error?.message).toBe('The service did not accept the request (422)');
		expect(error?.description).toContain('column_ids, entry 1:');
	});

	/** Extracts one document, with a body as it was entered. */
	const extractOne = async (body: string) => {
		const documentId = await used.client.uploadedId({ bytes: textFile('letter.txt').data });
		const before = (await sent()).length;
		const { error } = await used.run({
			resource: 'extraction',
			operation: 'extractOne',
			documentId,
			options: { body },
		});
		return { documentId, error, requests: (await sent()).slice(before) };
	};

	it.each([
		['a text', '{"note": "ü", "list": [1]}', { note: 'ü', list: [1] }],
		['an expression', '={{ { note: "ü", list: [1] } }}', { note: 'ü', list: [1] }],
		['an empty object', '{}', {}],
	])('of one document sends the body along that was entered as %s', async (_, body, json) => {
		const { documentId, error, requests } = await extractOne(body);

		expect(error).toBeUndefined();
		expect(requests).toEqual([new ApiReference(used.service).extractOne(documentId, json)]);
		const { extractions } = await used.control.ledger();
		expect(extractions).toMatchObject([{ kind: 'single', documentIds: [documentId] }]);
	});
});

describe('an extraction that was started, where waiting for it fails for good', () => {
	const used = useVirtualService({ profile: 'atlas' });

	it('is said to be started', async () => {
		const { documentIds } = await used.control.seed({ documents: 2 });
		await used.fault('getDocuments', { type: 'status', status: 404 });

		const { output } = await used.run(waitingExtraction(documentIds, { force: true }), {
			onError: 'continueRegularOutput',
		});

		expect(output.map(({ json }) => json.message)).toEqual(
			documentIds.map(() =>
				expect.stringContaining('The extraction was started; only waiting for it failed.'),
			),
		);
	});
});
