import assert from 'node:assert/strict';
import type { INodeExecutionData } from 'n8n-workflow';
import type { Service } from '../../../test/support/service.ts';
import type { Execution } from '../../n8n/execution.ts';
import { extractionNodeName, type NodeSettings } from '../../n8n/workflow.ts';
import type { Fault, FaultRule } from '../../service/faults.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live } from '../stage/live.ts';
import { sampleNames, samples } from '../stage/samples.ts';

const reason = 'The file is protected by a password';

const flow = (onError?: NodeSettings['onError']) =>
	emailsThrough(samples, { simple: false }, { onError });

const isExtracted = ({ json }: INodeExecutionData) => json.extraction !== undefined;
const fileName = ({ json }: INodeExecutionData) => (json.file as { name: string }).name;

/** One file failed: it has its reason, its own file and no other, and the JSON of the item that it came from. */
function assertOneFailed(
	failed: INodeExecutionData[],
	extracted: INodeExecutionData[],
	message: RegExp,
) {
	const [{ json, binary, pairedItem }, ...more] = failed;
	assert.equal(more.length, 0);
	assert.match(String(json.message), message);
	const files = Object.values(binary ?? {}).map((file) => file.fileName);
	assert.deepEqual([...files, ...extracted.map(fileName)].sort(), sampleNames);
	assert.ok(json.subject, 'the input stays with the item');
	assert.ok(pairedItem);
}

/** It left through the error output, all others through the first one. */
function assertOneInErrorOutput(execution: Execution, message: RegExp) {
	const extracted = execution.items(extractionNodeName);
	assert.ok(extracted.every(isExtracted));
	assertOneFailed(execution.items(extractionNodeName, 1), extracted, message);
}

async function assertOthersExtracted({ control }: Service) {
	const { uploads, extractions } = await control.ledger();
	assert.equal(uploads.length, sampleNames.length - 1);
	assert.deepEqual(
		extractions.map(({ documentIds }) => documentIds.length),
		[sampleNames.length - 1],
	);
}

live(
	'stays in its place with its file and the reason, if told so',
	async ({ service, refuse, run }) => {
		await refuse('upload', reason, { skip: 1 });
		const items = (await run(flow('continueRegularOutput'))).items(extractionNodeName);

		const failed = items.filter((item) => !isExtracted(item));
		assertOneFailed(failed, items.filter(isExtracted), new RegExp(reason));
		await assertOthersExtracted(service);
	},
);

live('goes to the error output with its file', async ({ service, refuse, run }) => {
	await refuse('upload', reason, { skip: 1 });
	assertOneInErrorOutput(await run(flow('continueErrorOutput')), new RegExp(reason));
	await assertOthersExtracted(service);
});

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

// Jest tries the following, and more, on the newest n8n's own requests.
const older = { n8n: ['middle', 'oldest'] as const };

/** What the item of a file says whose upload breaks; the service takes the last one all the same. */
const brokenUploads: Array<[fault: Fault, error: RegExp]> = [
	[{ type: 'status', status: 500 }, /could not handle the request \(500\)/],
	[{ type: 'html', status: 502 }, /A web page came back .* \(502\)/],
	[{ type: 'cutBefore' }, /The connection broke before the service responded/],
	[{ type: 'cutAfter' }, /The connection broke before the service responded/],
];

for (const [fault, error] of brokenUploads) {
	live(`has an unknown outcome: ${JSON.stringify(fault)}`, older, async ({ service, run }) => {
		await service.control.faults([{ match: { operation: 'upload', skip: 1, times: 1 }, fault }]);

		const execution = await run(flow('continueErrorOutput'));

		assertOneInErrorOutput(execution, /The outcome is unknown.*Look with Document › Get Many/s);
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

/** What the node may repeat without doing anything twice. */
const passing: Record<string, FaultRule[]> = {
	'a storm of 429': [
		{
			match: { probability: 0.5 },
			fault: { type: 'status', status: 429, headers: { 'retry-after': '1' } },
		},
	],
	'reads that fail in every way': brokenReads.map((fault) => ({
		match: { method: 'GET', probability: 0.15 },
		fault,
	})),
};

for (const [name, rules] of Object.entries(passing)) {
	live(`is none in ${name}: that costs nothing but time`, older, async ({ service, run }) => {
		await service.control.faults(rules);

		const execution = await run(flow('continueErrorOutput'));

		assert.deepEqual(execution.items(extractionNodeName, 1), []);
		assert.ok(execution.items(extractionNodeName).every(isExtracted));
		const { uploads, extractions } = await service.control.ledger();
		assert.deepEqual(uploads.map((upload) => upload.fileName).sort(), sampleNames);
		assert.equal(extractions.flatMap(({ documentIds }) => documentIds).length, uploads.length);
		assert.ok((await service.control.requests()).some(({ status }) => status !== 200));
	});
}
