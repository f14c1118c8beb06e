import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { sha256 } from '../../../test/support/files.ts';
import { emailsNode, emailsThrough } from '../../demo/emails.ts';
import { extractionNodeName, type NodeSettings } from '../../n8n/workflow.ts';
import { samples, type Stage } from '../stage.ts';

/** It names neither a total nor a currency. */
const incomplete = 'delivery-note-brightwell.pdf';
const invoice = 'invoice-harbour-supplies.pdf';
/** As the invoice itself says them. */
const articles = ['PA-480', 'IN-210', 'CH-033', 'LB-115'];

const flow = (options: object, settings?: NodeSettings) =>
	emailsThrough(samples, { binaryPropertyName: 'attachment_*', options: { ...options } }, settings);

const of =
	(fileName: string) =>
	({ json }: INodeExecutionData) =>
		json.fileName === fileName;

export default ({ account, run }: Stage) => {
	test('Rows Of and File Hash give an item for each line, paired to its email, with the hash of its file', async () => {
		const execution = await run(
			flow({ fileHash: true, rowsOf: { __rl: true, mode: 'name', value: 'Line items' } }),
			await account(),
		);

		const lines = execution.items(extractionNodeName).filter(of(invoice));
		assert.deepEqual(
			lines.map(({ json }) => [json.row, json.Article, json['Document number']]),
			articles.map((article, index) => [index + 1, article, 'HS-2024-0417']),
		);
		const hash = sha256(await readFile(join(samples, invoice)));
		for (const { json, pairedItem } of lines) {
			assert.equal(json.fileHash, hash);
			const email = execution.items(emailsNode)[(pairedItem as IPairedItemData).item];
			const names = Object.values(email.binary ?? {}).map(({ fileName }) => fileName);
			assert.ok(names.includes(invoice));
		}
	});

	test('Required Columns hands a document that lacks one to the error output, with its file and values', async () => {
		const used = await account();
		const execution = await run(
			flow({ requiredColumns: 'Document number, Total' }, { onError: 'continueErrorOutput' }),
			used,
		);

		const [failed, ...others] = execution.items(extractionNodeName, 1);
		assert.deepEqual(others, []);
		assert.equal(failed.json.error, "No value for 'Total'");
		assert.ok(failed.json.subject, 'the input stays with the item');
		assert.match(String(failed.json.message), /Document number: DN-90442/);
		const files = Object.values(failed.binary ?? {}).map(({ fileName }) => fileName);
		assert.deepEqual(files, [incomplete]);
		assert.ok(execution.items(extractionNodeName).every(({ json }) => Number(json.Total) > 0));
	});

	test('a document that lacks one keeps its values as fields, if the node continues', async () => {
		const execution = await run(
			flow({ requiredColumns: 'Total' }, { onError: 'continueRegularOutput' }),
			await account(),
		);

		const failed = execution.items(extractionNodeName).filter(({ json }) => json.error);
		assert.deepEqual(
			failed.map(({ json }) => [json.fileName, json['Document number']]),
			[[incomplete, 'DN-90442']],
		);
	});
};
