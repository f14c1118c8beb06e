import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { succeeded } from '../../n8n/execution.ts';
import { dataTableRows } from '../rows.ts';
import type { Stage } from '../stage.ts';

const example = 'service-calls-when-done';

export default ({ n8n, service, importExample, refuse, executionOf }: Stage) => {
	let workflow: string;
	let calls = 0;

	const call = async (body: unknown) => {
		await n8n.callWebhook('extraction-done', body);
		succeeded(await executionOf(workflow, ++calls));
	};

	before(async () => {
		workflow = await importExample(example);
		await n8n.activate(workflow);
	});

	test('writes the values of the service, not those of the call, once for a call that is repeated', async () => {
		const { documentIds } = await service.control.seed({ documents: 3 });
		const [, called] = documentIds;
		const body = { document_id: called, values: { Supplier: 'Somebody else' } };

		for (let times = 0; times < 2; times++) {
			await call(body);
			const { query } = (await service.control.requests('getExtractions')).at(-1)!;
			assert.equal(query.document_id, called);
		}

		const rows = await dataTableRows(n8n, 'Extracted documents');
		assert.deepEqual(
			rows.map((row) => row.document_id),
			[called],
		);
		assert.ok(rows[0].supplier);
		assert.notEqual(rows[0].supplier, 'Somebody else');
	});

	test('writes down why the values of a document cannot be read', async () => {
		await refuse('getExtractions', 'Not now', { times: undefined });

		await call({ document_id: 'doc_unread' });

		const rows = await dataTableRows(n8n, 'Extracted documents');
		const row = rows.find(({ document_id: id }) => id === 'doc_unread');
		assert.match(String(row?.failure), /The service says: Not now/);
	});

	test('reads nothing for a call without an ID', async () => {
		await service.control.seed({ documents: 3 });
		for (const body of [{}, { document_id: ' ' }]) await call(body);
		assert.deepEqual(await service.control.requests('getExtractions'), []);
	});
};
