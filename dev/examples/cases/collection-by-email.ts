import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { extractText } from 'unpdf';
import type { Profile } from '../../../test/support/serviceContract.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { chain, extractionNode, manualTrigger } from '../../n8n/workflow.ts';
import { settingsOf } from '../../n8n/example.ts';
import { type MailServer, startMailServer } from '../../machine/mailServer.ts';
import type { Stage } from '../stage.ts';

const example = 'collection-by-email';
const titles = ['Invoice', 'Purchase order', 'Delivery note', 'Rechnung'];

/** Where a service answers with an address instead of the PDF, it stands here. */
const downloadUrlField: Record<Profile, string> = {
	atlas: '',
	borealis: 'result.merged.href',
	cobalt: 'payload.download.url',
};

const uploadInto = (collectionId: string, folder: string) =>
	chain('Documents of a collection', [
		manualTrigger,
		{
			name: 'Read PDFs',
			type: 'n8n-nodes-base.readWriteFile',
			typeVersion: 1,
			parameters: { operation: 'read', fileSelector: `${folder}/inbox/*.pdf` },
		},
		extractionNode({
			resource: 'document',
			operation: 'upload',
			uploadMethod: 'direct',
			collection: { __rl: true, mode: 'id', value: collectionId },
		}),
	]);

export default (stage: Stage) => {
	const { n8n, service, profile, importExample, importWorkflow, newFolderWithInbox } = stage;
	const [{ id: collectionId }] = service.account.environments.test.workflows.main.collections;
	let mailServer: MailServer;
	let credential: SavedCredential;

	before(async () => {
		mailServer = await startMailServer();
		credential = await n8n.createCredential('smtp', 'Mail server', mailServer.credential);
	});
	after(async () => await mailServer.stop());

	test('sends one PDF of all documents of the collection', async () => {
		const filling = uploadInto(collectionId, await newFolderWithInbox());
		const filled = await n8n.runManually(await importWorkflow(filling));
		assert.equal(filled.status, 'success', filled.errorMessage);
		const workflow = await importExample(
			example,
			{
				Settings: await settingsOf(example, { collectionId, to: 'reader@example.com' }),
				'Merge documents': { options: { downloadUrlField: downloadUrlField[profile] } },
			},
			[credential],
		);

		const execution = await n8n.runManually(workflow);

		assert.equal(execution.status, 'success', execution.errorMessage);
		const [mail, ...more] = mailServer.received;
		assert.equal(more.length, 0);
		assert.deepEqual(
			mail.to?.map(({ address }) => address),
			['reader@example.com'],
		);
		const [pdf, ...others] = mail.attachments;
		assert.equal(others.length, 0);
		assert.equal(pdf.mimeType, 'application/pdf');
		const content = new Uint8Array(pdf.content as ArrayBuffer);
		const { totalPages, text } = await extractText(content, { mergePages: true });
		const lines = text.split('\n');
		for (const title of titles) assert.ok(lines.includes(title), `the PDF lacks ${title}`);
		const { merges } = await service.control.ledger();
		assert.deepEqual(
			merges.map((merge) => [merge.collectionId, merge.pages]),
			[[collectionId, totalPages]],
		);
	});
};
