import assert from 'node:assert/strict';
import { settings } from '../../n8n/example.ts';
import { live } from '../stage/live.ts';

const example = 'extract-again';
const documents = 12;

live('extracts all documents of the collection again, and no other', async (stage) => {
	const { service, workflow, importExample, run } = stage;
	const [{ id: collection }] = workflow.collections;
	const { documentIds } = await service.control.seed({ documents, collection });
	await service.control.seed({ documents: 3, prefix: 'other' });
	const Settings = settings({ collectionId: collection });

	const execution = await run(await importExample(example, { Settings }));

	const { extractions } = await service.control.ledger();
	assert.deepEqual(
		extractions.map(({ kind, documentIds: extracted }) => [kind, [...extracted].sort()]),
		[['bulk', [...documentIds].sort()]],
	);
	const results = execution.items('Get new results').map(({ json }) => JSON.stringify(json));
	const missing = documentIds.filter((id) => !results.some((text) => text.includes(id)));
	assert.deepEqual(missing, []);
});

live('extracts nothing while no collection is entered', async ({ n8n, service, importExample }) => {
	await service.control.seed({ documents });
	const execution = await n8n.runManually(await importExample(example));

	assert.equal(execution.status, 'error');
	assert.match(execution.errorMessage ?? '', /The expression in 'Collection' gives nothing/);
	assert.deepEqual((await service.control.ledger()).extractions, []);
});
