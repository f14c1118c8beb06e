import assert from 'node:assert/strict';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';
import { dataTableRows } from '../stage/tables.ts';

live('lets each result pass once, and again when its values have changed', async (stage) => {
	const {
		n8n,
		service,
		workflow: { columns },
		importExample,
		run,
		prepare,
	} = stage;
	await service.control.seed({ documents: 3 });
	const workflow = await importExample('new-results');
	const passed = async () =>
		(await run(workflow, 'Every 15 minutes')).items('New or changed').length;

	assert.equal(await passed(), 3);
	assert.equal(await passed(), 0);

	// Elsewhere a document is uploaded, and only one of its columns extracted.
	const options = { columnIds: [String(columns[0].id)] };
	const uploaded = await prepare(
		{ resource: 'extraction', operation: 'extractFromFiles', options },
		'invoice-harbour-supplies.pdf',
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

	const rows = await dataTableRows(n8n, 'New results');
	assert.equal(rows.length, 4);
	const row = rows.find(({ document_number: number }) => number === 'HS-2024-0417');
	assert.equal(row?.supplier, 'Harbour Office Supplies Ltd');
	assert.equal(row?.total, 641.28);
});
