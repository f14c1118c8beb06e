import assert from 'node:assert/strict';
import type { INodeExecutionData } from 'n8n-workflow';
import type { Execution } from '../../n8n/execution.ts';
import { extractionNodeName, type NodeSettings } from '../../n8n/workflow.ts';
import type { Fault } from '../../service/faults.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live } from '../stage/live.ts';
import { sampleNames, samples } from '../stage/samples.ts';

const reason = 'The file is protected by a password';

const flow = (onError?: NodeSettings['onError']) =>
	emailsThrough(samples, { simple: false }, { onError });

const isExtracted = ({ json }: INodeExecutionData) => json.extraction !== undefined;
const fileName = ({ json }: INodeExecutionData) => (json.file as { name: string }).name;

/** One file failed: it has its reason, its own file and no other, and the JSON of the item that it was in. */
function assertOneFailed(execution: Execution, onError: NodeSettings['onError'], message: RegExp) {
	const items = execution.items(extractionNodeName);
	const atErrors = execution.items(extractionNodeName, 1);
	const notExtracted = items.filter((item) => !isExtracted(item));
	const [inPlace, elsewhere] =
		onError === 'continueErrorOutput' ? [atErrors, notExtracted] : [notExtracted, atErrors];
	assert.deepEqual(elsewhere, []);
	const [{ json, binary, pairedItem }, ...more] = inPlace;
	assert.equal(more.length, 0);
	assert.match(String(json.message), message);
	const files = Object.values(binary ?? {}).map((file) => file.fileName);
	const extracted = items.filter(isExtracted).map(fileName);
	assert.deepEqual([...files, ...extracted].sort(), sampleNames);
	assert.ok(json.subject, 'the input stays with the item');
	assert.ok(pairedItem);
}

for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
	live(`keeps its file and the reason: ${onError}`, async ({ service, refuse, run }) => {
		await refuse('upload', reason, { skip: 1 });
		assertOneFailed(await run(flow(onError)), onError, new RegExp(reason));
		const { uploads, extractions } = await service.control.ledger();
		const others = sampleNames.length - 1;
		assert.equal(uploads.length, others);
		assert.deepEqual(
			extractions.map(({ documentIds }) => documentIds.length),
			[others],
		);
	});
}

live('stops the run, which names what is uploaded', async ({ service, refuse, attempt }) => {
	await refuse('upload', reason, { skip: 1 });
	const execution = await attempt(flow());

	assert.equal(execution.status, 'error');
	const { uploads, extractions } = await service.control.ledger();
	assert.equal(extractions.length, 0);
	const description = execution.run(extractionNodeName)?.error?.description ?? '';
	assert.match(description, new RegExp(reason));
	for (const { documentId } of uploads) assert.ok(description.includes(documentId));
});

live('of a mixed batch, each file has its own outcome', async ({ service, run }) => {
	const respond = (status: number, body: object): Fault => ({ type: 'status', status, body });
	const notExtracted = respond(422, { detail: 'Cannot be extracted' });
	await service.control.faults([
		{
			match: { operation: 'upload', skip: 1, times: 1 },
			fault: respond(400, { detail: 'No PDF' }),
		},
		// A success by status that says that it is none.
		{
			match: { operation: 'upload', skip: 1, times: 1 },
			fault: respond(200, { success: false, error: reason }),
		},
		// The call for all of them, and then the one for the first of them.
		{ match: { operation: 'extractBulk', times: 2 }, fault: notExtracted },
	]);

	const execution = await run(flow('continueErrorOutput'));

	const failed = execution.items(extractionNodeName, 1);
	const reasons = failed.map(
		({ json }) => /The service says: ([^.]+)/.exec(String(json.message))?.[1],
	);
	assert.deepEqual(reasons.sort(), ['Cannot be extracted', 'No PDF', reason]);
	const files = failed.flatMap(({ binary }) => Object.values(binary ?? {}));
	assert.equal(new Set(files.map((file) => file.fileName)).size, failed.length);
	const others = execution.items(extractionNodeName);
	assert.equal(others.length, sampleNames.length - failed.length);
	const { uploads, extractions } = await service.control.ledger();
	assert.equal(uploads.length, sampleNames.length - 2);
	assert.ok(extractions.every(({ documentIds }) => documentIds.length === 1));
	assert.equal(extractions.length, others.length);
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

		const execution = await run(flow('continueErrorOutput'));

		const unknown = /The outcome is unknown.*Look with Document › Get Many/s;
		assertOneFailed(execution, 'continueErrorOutput', unknown);
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

	const execution = await run(flow('continueErrorOutput'));

	assert.deepEqual(execution.items(extractionNodeName, 1), []);
	assert.ok(execution.items(extractionNodeName).every(isExtracted));
	const { uploads, extractions } = await service.control.ledger();
	assert.deepEqual(uploads.map((upload) => upload.fileName).sort(), sampleNames);
	assert.equal(extractions.flatMap(({ documentIds }) => documentIds).length, uploads.length);
	const statuses = (await service.control.requests()).map(({ status }) => status);
	assert.ok(statuses.includes(429) && statuses.some((status) => status !== 429 && status !== 200));
});
