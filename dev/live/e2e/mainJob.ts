import assert from 'node:assert/strict';
import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { sha256 } from '../../../test/support/files.ts';
import type { Execution } from '../../n8n/execution.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { emailsNode, emailsThrough } from '../stage/emails.ts';
import { live } from '../stage/live.ts';
import { assertExtracted, sampleFile, sampleNames, samples } from '../stage/samples.ts';

/** Whether the item that an output item came from really holds the file that it names. */
function isPaired(execution: Execution, { json, pairedItem }: INodeExecutionData) {
	const email = execution.items(emailsNode)[(pairedItem as IPairedItemData).item];
	return Object.values(email.binary ?? {}).some(({ fileName }) => fileName === json.fileName);
}

live('gives the values of all attachments', { everyProfile: true }, async ({ service, run }) => {
	const execution = await run(emailsThrough(samples));

	const results = execution.items(extractionNodeName);
	assert.deepEqual(
		results.map(({ json }) => json.fileName),
		sampleNames,
	);
	assertExtracted(results.map(({ json }) => json));
	assert.ok(results.every((result) => isPaired(execution, result)));

	const { uploads, extractions } = await service.control.ledger();
	assert.deepEqual(
		uploads.map((upload) => [upload.fileName, upload.sha256]).sort(),
		await Promise.all(sampleNames.map(async (name) => [name, sha256(await sampleFile(name))])),
	);
	assert.deepEqual(
		extractions.map(({ kind, documentIds }) => [kind, [...documentIds].sort()]),
		[['bulk', uploads.map(({ documentId }) => documentId).sort()]],
	);
});
