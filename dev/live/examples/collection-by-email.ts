import assert from 'node:assert/strict';
import { settings } from '../../n8n/example.ts';
import { live } from '../stage/live.ts';
import { assertMerged } from '../stage/mergedPdf.ts';

live('sends one PDF of all documents of the collection', async (stage) => {
	const { service, workflow, importMailing, run, prepare } = stage;
	const [{ id: collectionId }] = workflow.collections;
	const upload = {
		resource: 'document',
		operation: 'upload',
		collection: { __rl: true, mode: 'id', value: collectionId },
	};
	await prepare(upload, '*.pdf');

	const Settings = settings({ collectionId, to: 'reader@example.com' });
	const mailing = await importMailing('collection-by-email', { Settings });
	await run(mailing.workflow);

	const [mail, ...more] = mailing.received;
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
