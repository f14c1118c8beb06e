import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	chain,
	extractionNode,
	extractionNodeName,
	manualTrigger,
	readFiles,
} from '../../n8n/workflow.ts';
import { dataTableRows } from '../rows.ts';
import type { Stage } from '../stage.ts';

const table = 'New results';
const trigger = 'Every 15 minutes';
const file = 'invoice-harbour-supplies.pdf';

export default ({ n8n, service, importExample, run, prepare, folder }: Stage) => {
	const { columns } = service.account.environments.test.workflows.main;

	/** Uploads a document elsewhere, and extracts only some of its columns. */
	const uploadElsewhere = (columnIds: string[]) =>
		chain('Uploaded elsewhere', [
			manualTrigger,
			readFiles(`${folder()}/inbox/${file}`),
			extractionNode({
				resource: 'extraction',
				operation: 'extractFromFiles',
				options: { columnIds },
			}),
		]);

	const extractAgain = (documentId: unknown) =>
		chain('Extracted again', [
			manualTrigger,
			extractionNode({
				resource: 'extraction',
				operation: 'extractDocuments',
				documentIds: String(documentId),
				wait: true,
			}),
		]);

	test('lets each result pass once, and again when its values have changed', async () => {
		await service.control.seed({ documents: 3 });
		const workflow = await importExample('new-results');
		await run(workflow);
		const passed = async () => (await run(workflow, trigger)).items('New or changed').length;

		assert.equal(await passed(), 3);
		assert.equal(await passed(), 0);

		const [first] = columns;
		const uploaded = await prepare(uploadElsewhere([String(first.id)]));
		assert.equal(await passed(), 1);

		const [{ json }] = uploaded.items(extractionNodeName);
		await prepare(extractAgain(json.documentId));
		assert.equal(await passed(), 1);
		assert.equal(await passed(), 0);

		const rows = await dataTableRows(n8n, table);
		assert.equal(rows.length, 4);
		const row = rows.find(({ document_number: number }) => number === 'HS-2024-0417');
		assert.equal(row?.supplier, 'Harbour Office Supplies Ltd');
		assert.equal(row?.total, 641.28);
	});
};
