import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { dataTableRows } from '../rows.ts';
import type { Stage } from '../stage.ts';

const table = 'New results';
const trigger = 'Every 15 minutes';
const file = 'invoice-harbour-supplies.pdf';

export default ({ n8n, service, importExample, run, prepare }: Stage) => {
	const { columns } = service.account.environments.test.workflows.main;

	test('lets each result pass once, and again when its values have changed', async () => {
		await service.control.seed({ documents: 3 });
		const workflow = await importExample('new-results');
		const passed = async () => (await run(workflow, trigger)).items('New or changed').length;

		assert.equal(await passed(), 3);
		assert.equal(await passed(), 0);

		// Elsewhere a document is uploaded, and only one of its columns extracted.
		const [first] = columns;
		const uploaded = await prepare(
			{
				resource: 'extraction',
				operation: 'extractFromFiles',
				options: { columnIds: [String(first.id)] },
			},
			file,
		);
		assert.equal(await passed(), 1);

		const [{ json }] = uploaded.items(extractionNodeName);
		await prepare({
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: String(json.documentId),
			wait: true,
		});
		assert.equal(await passed(), 1);
		assert.equal(await passed(), 0);

		const rows = await dataTableRows(n8n, table);
		assert.equal(rows.length, 4);
		const row = rows.find(({ document_number: number }) => number === 'HS-2024-0417');
		assert.equal(row?.supplier, 'Harbour Office Supplies Ltd');
		assert.equal(row?.total, 641.28);
	});
};
