import assert from 'node:assert/strict';
import { settingsOf } from '../../n8n/example.ts';
import { live } from '../stage/live.ts';
import { assertMerged, downloadUrlField } from '../stage/mergedPdf.ts';

const example = 'collection-by-email';

live('sends one PDF of all documents of the collection', async (stage) => {
	const { service, profile, workflow, importExample, run, prepare, openMailServer } = stage;
	const [{ id: collectionId }] = workflow.collections;
	const mailServer = await openMailServer();
	const upload = {
		resource: 'document',
		operation: 'upload',
		uploadMethod: 'direct',
		collection: { __rl: true, mode: 'id', value: collectionId },
	};
	await prepare(upload, '*.pdf');

	const entries = {
		Settings: await settingsOf(example, { collectionId, to: 'reader@example.com' }),
		'Merge documents': { options: { downloadUrlField: downloadUrlField[profile] } },
	};
	await run(await importExample(example, entries, [mailServer.account]));

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
