import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractText } from 'unpdf';
import { emailNodes } from '../../demo/emails.ts';
import { chain, extractionNode } from '../../n8n/workflow.ts';
import type { Profile } from '../../../test/support/serviceContract.ts';
import { profiles, samples, type Stage } from '../stage.ts';

/** Where a service answers with an address instead of the PDF, it stands here. */
const downloadUrlField: Record<Profile, string> = {
	atlas: '',
	borealis: 'result.merged.href',
	cobalt: 'payload.download.url',
};

const uploadAndMerge = (collectionId: string, urlField: string) => {
	const collection = { __rl: true, mode: 'id', value: collectionId };
	return chain('One PDF of a collection', [
		...emailNodes(samples),
		extractionNode(
			{
				resource: 'document',
				operation: 'upload',
				binaryPropertyName: 'attachment_*',
				uploadMethod: 'direct',
				collection,
			},
			{ name: 'Upload' },
		),
		extractionNode(
			{
				resource: 'collection',
				operation: 'merge',
				collection,
				options: urlField ? { downloadUrlField: urlField } : {},
			},
			{ name: 'Merge', executeOnce: true },
		),
	]);
};

const titles = ['Invoice', 'Purchase order', 'Delivery note', 'Rechnung'];

export default ({ n8n, account, run }: Stage) => {
	for (const profile of profiles) {
		test(`is one PDF of its documents, with ${profile}`, async () => {
			const used = await account(profile);
			const { collections } = used.service.account.environments.test.workflows.main;

			const execution = await run(
				uploadAndMerge(collections[0].id, downloadUrlField[profile]),
				used,
			);

			assert.equal(execution.status, 'success', execution.errorMessage);
			const [{ binary }] = execution.items('Merge');
			assert.equal(binary?.data.mimeType, 'application/pdf');
			const pdf = await n8n.binary(binary.data);
			const { totalPages, text } = await extractText(new Uint8Array(pdf), { mergePages: true });

			const { uploads, merges } = await used.service.control.ledger();
			assert.equal(uploads.length, titles.length);
			assert.deepEqual(
				merges.map(({ collectionId, pages }) => [collectionId, pages]),
				[[collections[0].id, totalPages]],
			);
			const lines = text.split('\n');
			for (const title of titles) assert.ok(lines.includes(title), `the PDF lacks ${title}`);
		});
	}
};
