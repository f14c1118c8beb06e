import assert from 'node:assert/strict';
import { succeeded } from '../../n8n/execution.ts';
import { live, type Stage } from '../stage/live.ts';
import { dataTableRows } from '../stage/tables.ts';

/** Publishes the example: what becomes of a call of the service, in n8n's table. */
async function onCalls({ n8n, importExample, activate, executionOf }: Stage) {
	const workflow = await importExample('service-calls-when-done');
	await activate(workflow);
	let executions = 0;
	return async (body: object) => {
		await n8n.callWebhook('extraction-done', body);
		succeeded(await executionOf(workflow, ++executions));
		return await dataTableRows(n8n, 'Extracted documents');
	};
}

live('writes the values of the service once for a call that is repeated', async (stage) => {
	const { control } = stage.service;
	const rowsAfter = await onCalls(stage);
	const [, called] = (await control.seed({ documents: 3 })).documentIds;
	const body = { document_id: called, values: { Supplier: 'Somebody else' } };

	await rowsAfter(body);
	const rows = (await rowsAfter(body)).filter((row) => row.document_id === called);

	const reads = await control.requests('getExtractions');
	assert.deepEqual(
		reads.map(({ query }) => query.document_id),
		[called, called],
	);
	assert.equal(rows.length, 1);
	assert.ok(rows[0].supplier);
	assert.notEqual(rows[0].supplier, 'Somebody else');
});

live('writes down why values cannot be read, and needs an ID', async (stage) => {
	const rowsAfter = await onCalls(stage);
	for (const body of [{}, { document_id: ' ' }]) await rowsAfter(body);
	assert.deepEqual(await stage.service.control.requests('getExtractions'), []);

	await stage.refuse('getExtractions', 'Not now', { times: undefined });
	const rows = await rowsAfter({ document_id: 'doc_unread' });

	const row = rows.find(({ document_id: id }) => id === 'doc_unread');
	assert.match(String(row?.failure), /The service says: Not now/);
});
