import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailsThrough } from '../../demo/emails.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { assertFailedItem, assertOneFailed, fileNames, isExtracted } from '../failedItem.ts';
import { type Account, samples, type Stage } from '../stage.ts';

const reason = 'The file is protected by a password';
const allAttachments = { binaryPropertyName: 'attachment_*', simple: false };
const attachmentCount = fileNames.length;

/** One upload of the run is refused; which one, the order of the requests decides. */
const refuseOneUpload = async ({ service }: Account) =>
	await service.control.faults([
		{
			match: { operation: 'upload', skip: 1, times: 1 },
			fault: { type: 'status', status: 400, body: { detail: reason } },
		},
	]);

async function assertOthersExtracted({ service }: Account) {
	const { uploads, extractions } = await service.control.ledger();
	assert.equal(uploads.length, attachmentCount - 1);
	assert.deepEqual(
		extractions.map(({ documentIds }) => documentIds.length),
		[attachmentCount - 1],
	);
}

export default ({ account, run }: Stage) => {
	test('stays in its place with its file and the reason, if the node continues', async () => {
		const used = await account();
		await refuseOneUpload(used);

		const execution = await run(
			emailsThrough(samples, allAttachments, { onError: 'continueRegularOutput' }),
			used,
		);

		assert.equal(execution.status, 'success', execution.errorMessage);
		const items = execution.items(extractionNodeName);
		assert.equal(items.length, attachmentCount);
		const [failed, ...more] = items.filter((item) => !isExtracted(item));
		assert.equal(more.length, 0);
		assertFailedItem(failed, items.filter(isExtracted), new RegExp(reason));
		await assertOthersExtracted(used);
	});

	test('goes to the error output with its file, the others to the first output', async () => {
		const used = await account();
		await refuseOneUpload(used);

		const execution = await run(
			emailsThrough(samples, allAttachments, { onError: 'continueErrorOutput' }),
			used,
		);

		assertOneFailed(execution, new RegExp(reason));
		await assertOthersExtracted(used);
	});

	test('stops the run before anything is extracted, and names what is uploaded', async () => {
		const used = await account();
		await refuseOneUpload(used);

		const execution = await run(emailsThrough(samples, allAttachments), used);

		assert.equal(execution.status, 'error');
		const { uploads, extractions } = await used.service.control.ledger();
		assert.equal(extractions.length, 0);
		const description = execution.run(extractionNodeName)?.error?.description ?? '';
		assert.match(description, new RegExp(reason));
		for (const { documentId } of uploads) assert.ok(description.includes(documentId));
	});
};
