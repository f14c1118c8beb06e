import assert from 'node:assert/strict';
import { extractionNodeName } from '../../n8n/workflow.ts';
import type { Fault } from '../../service/faults.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live } from '../stage/live.ts';
import { sampleNames, samples } from '../stage/samples.ts';

const refused: Fault = { type: 'status', status: 400, body: { detail: 'Not a document' } };
/** A success by status that says that it is none. */
const reported: Fault = {
	type: 'status',
	status: 200,
	body: { success: false, error: 'The file is protected by a password' },
};
const unknown: Fault = { type: 'status', status: 422, body: { detail: 'Cannot be extracted' } };

live('of a mixed batch, each file has its own outcome', async ({ service, run }) => {
	const { control } = service;
	await control.faults([
		{ match: { operation: 'upload', skip: 1, times: 1 }, fault: refused },
		{ match: { operation: 'upload', skip: 1, times: 1 }, fault: reported },
		// The call for all of them, and then the one for the first of them.
		{ match: { operation: 'extractBulk', times: 1 }, fault: unknown },
		{ match: { operation: 'extractBulk', times: 1 }, fault: unknown },
	]);

	const execution = await run(
		emailsThrough(samples, { simple: false }, { onError: 'continueErrorOutput' }),
	);

	const failed = execution.items(extractionNodeName, 1);
	const reasons = failed.map(
		({ json }) => /The service says: ([^.]+)/.exec(String(json.message))?.[1],
	);
	assert.deepEqual(reasons.sort(), [
		'Cannot be extracted',
		'Not a document',
		'The file is protected by a password',
	]);
	const files = failed.flatMap(({ binary }) => Object.values(binary ?? {}));
	assert.equal(new Set(files.map(({ fileName }) => fileName)).size, failed.length);
	const others = execution.items(extractionNodeName);
	assert.equal(others.length, sampleNames.length - failed.length);
	const { uploads, extractions } = await control.ledger();
	assert.equal(uploads.length, sampleNames.length - 2);
	assert.ok(extractions.every(({ documentIds }) => documentIds.length === 1));
	assert.equal(extractions.length, others.length);
});
