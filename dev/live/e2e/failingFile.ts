import assert from 'node:assert/strict';
import type { INodeExecutionData } from 'n8n-workflow';
import type { Execution } from '../../n8n/execution.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import type { Fault } from '../../service/faults.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live } from '../stage/live.ts';
import { sampleNames, samples } from '../stage/samples.ts';

const reason = 'The file is protected by a password';

const flow = emailsThrough(samples, { simple: false }, { onError: 'continueErrorOutput' });

const isExtracted = ({ json }: INodeExecutionData) => json.extraction !== undefined;
const fileName = ({ json }: INodeExecutionData) => (json.file as { name: string }).name;

/** One file failed: it has its reason, its own file and no other, and the JSON of the item that it was in. */
function assertOneFailed(execution: Execution, message: RegExp) {
	const extracted = execution.items(extractionNodeName);
	assert.ok(extracted.every(isExtracted));
	const [{ json, binary, pairedItem }, ...more] = execution.items(extractionNodeName, 1);
	assert.equal(more.length, 0);
	assert.match(String(json.message), message);
	const files = Object.values(binary ?? {}).map((file) => file.fileName);
	assert.deepEqual([...files, ...extracted.map(fileName)].sort(), sampleNames);
	assert.ok(json.subject, 'the input stays with the item');
	assert.ok(pairedItem);
}

live('keeps its file and the reason', async ({ service, refuse, run }) => {
	await refuse('upload', reason, { skip: 1 });
	assertOneFailed(await run(flow), new RegExp(reason));
	const { uploads, extractions } = await service.control.ledger();
	const others = sampleNames.length - 1;
	assert.equal(uploads.length, others);
	assert.deepEqual(
		extractions.map(({ documentIds }) => documentIds.length),
		[others],
	);
});

// Jest tries the following, and more, on the newest n8n's own requests.
const older = { n8n: ['middle', 'oldest'] as const };

/** What the item of a file says whose upload breaks; the service takes the last one all the same. */
const brokenUploads: Array<[fault: Fault, error: RegExp]> = [
	[{ type: 'status', status: 500 }, /could not handle the request \(500\)/],
	[{ type: 'html', status: 502 }, /A web page came back .* \(502\)/],
	[{ type: 'cutBefore' }, /The connection to the service broke/],
	[{ type: 'cutAfter' }, /The connection to the service broke/],
];

for (const [fault, error] of brokenUploads) {
	live(`has an unknown outcome: ${JSON.stringify(fault)}`, older, async ({ service, run }) => {
		await service.control.faults([{ match: { operation: 'upload', skip: 1, times: 1 }, fault }]);

		const execution = await run(flow);

		const unknown = /The outcome is unknown.*Look with Document › Get Many/s;
		assertOneFailed(execution, unknown);
		assert.match(String(execution.items(extractionNodeName, 1)[0].json.error), error);
		const { uploads } = await service.control.ledger();
		assert.equal(uploads.length, sampleNames.length - (fault.type === 'cutAfter' ? 0 : 1));
	});
}

const brokenReads: Fault[] = [
	{ type: 'status', status: 503 },
	{ type: 'html', status: 502 },
	{ type: 'cutBefore' },
	{ type: 'cutMidBody' },
	{ type: 'truncate' },
	{ type: 'empty' },
];

live('is none where a repeated request does nothing twice', older, async ({ service, run }) => {
	const limited: Fault = { type: 'status', status: 429, headers: { 'retry-after': '1' } };
	await service.control.faults([
		{ match: { probability: 0.5, times: 20 }, fault: limited },
		...brokenReads.map((fault) => ({ match: { method: 'GET', probability: 0.15 }, fault })),
	]);

	const execution = await run(flow);

	assert.deepEqual(execution.items(extractionNodeName, 1), []);
	assert.ok(execution.items(extractionNodeName).every(isExtracted));
	const { uploads, extractions } = await service.control.ledger();
	assert.deepEqual(uploads.map((upload) => upload.fileName).sort(), sampleNames);
	assert.equal(extractions.flatMap(({ documentIds }) => documentIds).length, uploads.length);
	const statuses = (await service.control.requests()).map(({ status }) => status);
	assert.ok(statuses.includes(429) && statuses.some((status) => status !== 429 && status !== 200));
});
