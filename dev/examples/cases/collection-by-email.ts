import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMerged, downloadUrlField } from '../../demo/mergedPdf.ts';
import { settingsOf } from '../../n8n/example.ts';
import type { Stage } from '../stage.ts';

const example = 'collection-by-email';

export default (stage: Stage) => {
	const { service, profile, importExample, run, prepare, openMailServer } = stage;
	const [{ id: collectionId }] = service.account.environments.test.workflows.main.collections;

	test('sends one PDF of all documents of the collection', async () => {
		const mailServer = await openMailServer();
		const upload = {
			resource: 'document',
			operation: 'upload',
			uploadMethod: 'direct',
			collection: { __rl: true, mode: 'id', value: collectionId },
		};
		await prepare(upload, '*.pdf');
		const workflow = await importExample(
			example,
			{
				Settings: await settingsOf(example, { collectionId, to: 'reader@example.com' }),
				'Merge documents': { options: { downloadUrlField: downloadUrlField[profile] } },
			},
			[mailServer.account],
		);

		await run(workflow);

		const [mail, ...more] = mailServer.received;
		assert.equal(more.length, 0);
		assert.deepEqual(
			mail.to?.map(({ address }) => address),
			['reader@example.com'],
		);
		const [pdf, ...others] = mail.attachments;
		assert.equal(others.length, 0);
		assert.equal(pdf.mimeType, 'application/pdf');
		await assertMerged(service, collectionId, new Uint8Array(pdf.content as ArrayBuffer));
	});
};
