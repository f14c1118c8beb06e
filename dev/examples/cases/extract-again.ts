import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsOf } from '../../n8n/example.ts';
import type { Stage } from '../stage.ts';

const example = 'extract-again';
const documents = 12;

export default ({ n8n, service, importExample, run }: Stage) => {
	const [{ id: collection }] = service.account.environments.test.workflows.main.collections;

	test('extracts all documents of the collection again, and no other', async () => {
		const { documentIds } = await service.control.seed({ documents, collection });
		await service.control.seed({ documents: 3, prefix: 'other' });
		const workflow = await importExample(example, {
			Settings: await settingsOf(example, { collectionId: collection }),
		});

		const execution = await run(workflow);

		const { extractions } = await service.control.ledger();
		assert.deepEqual(
			extractions.map(({ kind, documentIds: extracted }) => [kind, [...extracted].sort()]),
			[['bulk', [...documentIds].sort()]],
		);
		const results = execution.items('Get new results').map(({ json }) => JSON.stringify(json));
		const missing = documentIds.filter((id) => !results.some((text) => text.includes(id)));
		assert.deepEqual(missing, []);
	});

	test('extracts nothing while no collection is entered', async () => {
		await service.control.seed({ documents });
		const execution = await n8n.runManually(await importExample(example));

		assert.equal(execution.status, 'error');
		assert.match(execution.errorMessage ?? '', /The expression in 'Collection' gives nothing/);
		const { extractions } = await service.control.ledger();
		assert.deepEqual(extractions, []);
	});
};
