import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { INodeExecutionData } from 'n8n-workflow';
import { emailsThrough } from '../../demo/emails.ts';
import type { Execution } from '../../n8n/execution.ts';
import type { Account } from '../../n8n/stage.ts';
import { extractionNodeName, type NodeSettings } from '../../n8n/workflow.ts';
import type { Fault, FaultRule } from '../../service/faults.ts';
import { sampleNames, samples, type Stage } from '../stage.ts';

const flow = (onError?: NodeSettings['onError']) =>
	emailsThrough(samples, { binaryPropertyName: 'attachment_*', simple: false }, { onError });

const isExtracted = ({ json }: INodeExecutionData) => json.extraction !== undefined;
const fileName = ({ json }: INodeExecutionData) => (json.file as { name: string }).name;

/** One file failed: it has its reason, its own file and no other, and the JSON of the item that it came from. */
function assertOneFailed(
	failed: INodeExecutionData[],
	extracted: INodeExecutionData[],
	reason: RegExp,
) {
	const [{ json, binary, pairedItem }, ...more] = failed;
	assert.equal(more.length, 0);
	assert.match(String(json.message), reason);
	const files = Object.values(binary ?? {}).map((file) => file.fileName);
	assert.deepEqual([...files, ...extracted.map(fileName)].sort(), sampleNames);
	assert.ok(json.subject, 'the input stays with the item');
	assert.ok(pairedItem);
}

/** It left through the error output, all others through the first one. */
function assertOneInErrorOutput(execution: Execution, reason: RegExp) {
	const extracted = execution.items(extractionNodeName);
	assert.ok(extracted.every(isExtracted));
	assertOneFailed(execution.items(extractionNodeName, 1), extracted, reason);
}

/** Befalls one upload of the run; which one, the order of the requests decides. */
const toOneUpload = (fault: Fault): FaultRule[] => [
	{ match: { operation: 'upload', skip: 1, times: 1 }, fault },
];

const reason = /The file is protected by a password/;
const refusal = toOneUpload({
	type: 'status',
	status: 400,
	body: { detail: 'The file is protected by a password' },
});

/** Whether the service takes a file whose upload breaks, and what its item says of it. */
const brokenUploads: Array<[fault: Fault, isTaken: boolean, error: RegExp]> = [
	[{ type: 'status', status: 500 }, false, /could not handle the request \(500\)/],
	[{ type: 'html', status: 502 }, false, /A web page came back .* \(502\)/],
	[{ type: 'cutBefore' }, false, /The connection broke before the service responded/],
	[{ type: 'cutAfter' }, true, /The connection broke before the service responded/],
];

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

export default ({ n8n, account, run, attempt }: Stage) => {
	const withFaults = async (rules: FaultRule[]): Promise<Account> => {
		const used = await account();
		await used.service.control.faults(rules);
		return used;
	};

	async function assertOthersExtracted({ service }: Account) {
		const { uploads, extractions } = await service.control.ledger();
		assert.equal(uploads.length, sampleNames.length - 1);
		assert.deepEqual(
			extractions.map(({ documentIds }) => documentIds.length),
			[sampleNames.length - 1],
		);
	}

	test('stays in its place with its file and the reason, if the node continues', async () => {
		const used = await withFaults(refusal);

		const items = (await run(flow('continueRegularOutput'), used)).items(extractionNodeName);

		const failed = items.filter((item) => !isExtracted(item));
		assertOneFailed(failed, items.filter(isExtracted), reason);
		await assertOthersExtracted(used);
	});

	test('goes to the error output with its file, the others to the first output', async () => {
		const used = await withFaults(refusal);

		assertOneInErrorOutput(await run(flow('continueErrorOutput'), used), reason);
		await assertOthersExtracted(used);
	});

	test('stops the run before anything is extracted, and names what is uploaded', async () => {
		const used = await withFaults(refusal);

		const execution = await attempt(flow(), used);

		assert.equal(execution.status, 'error');
		const { uploads, extractions } = await used.service.control.ledger();
		assert.equal(extractions.length, 0);
		const description = execution.run(extractionNodeName)?.error?.description ?? '';
		assert.match(description, reason);
		for (const { documentId } of uploads) assert.ok(description.includes(documentId));
	});

	// Jest tries these, and more, on the newest n8n's own requests.
	const skip = n8n.version === 'newest';
	for (const [fault, isTaken, error] of brokenUploads) {
		test(`says that its outcome is unknown: ${JSON.stringify(fault)}`, { skip }, async () => {
			const used = await withFaults(toOneUpload(fault));

			const execution = await run(flow('continueErrorOutput'), used);

			assertOneInErrorOutput(execution, /The outcome is unknown.*Look with Document › Get Many/s);
			assert.match(String(execution.items(extractionNodeName, 1)[0].json.error), error);
			const { uploads } = await used.service.control.ledger();
			assert.equal(uploads.length, sampleNames.length - (isTaken ? 0 : 1));
		});
	}

	for (const [name, rules] of Object.entries(passing)) {
		test(`is none in ${name}: that costs nothing but time`, { skip }, async () => {
			const used = await withFaults(rules);

			const execution = await run(flow('continueErrorOutput'), used);

			assert.deepEqual(execution.items(extractionNodeName, 1), []);
			assert.ok(execution.items(extractionNodeName).every(isExtracted));
			const { control } = used.service;
			const { uploads, extractions } = await control.ledger();
			assert.deepEqual(uploads.map((upload) => upload.fileName).sort(), sampleNames);
			assert.equal(extractions.flatMap(({ documentIds }) => documentIds).length, uploads.length);
			assert.ok((await control.requests()).some(({ status }) => status !== 200));
		});
	}
};
