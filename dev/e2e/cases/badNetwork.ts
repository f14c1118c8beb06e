import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailsThrough } from '../../demo/emails.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import type { Fault, FaultRule } from '../../service/faults.ts';
import { assertOneFailed, fileNames, isExtracted } from '../failedItem.ts';
import { type Account, samples, type Stage } from '../stage.ts';

const outcomeUnknown = /The outcome is unknown.*check with Document › Get Many/s;

interface BrokenUpload {
	name: string;
	fault: Fault;
	reason: RegExp;
	/** Whether the service took the file all the same. */
	isDone?: true;
}

const brokenUploads: BrokenUpload[] = [
	{
		name: 'a failing service',
		fault: { type: 'status', status: 500 },
		reason: /could not handle the request \(500\)/,
	},
	{
		name: "a proxy's page",
		fault: { type: 'html', status: 502, title: 'Bad gateway' },
		reason: /A web page came back instead of a response from the service \(502\)/,
	},
	{
		name: 'a connection that breaks before the service reads',
		fault: { type: 'cutBefore' },
		reason: /The connection broke before the service responded/,
	},
	{
		name: 'a connection that breaks before the answer comes',
		fault: { type: 'cutAfter' },
		reason: /The connection broke before the service responded/,
		isDone: true,
	},
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
const passing: Array<{ name: string; rules: FaultRule[] }> = [
	{
		name: 'a storm of 429',
		rules: [
			{
				match: { probability: 0.5 },
				fault: { type: 'status', status: 429, headers: { 'retry-after': '1' } },
			},
		],
	},
	{
		name: 'reads that fail in every way',
		rules: brokenReads.map((fault) => ({ match: { method: 'GET', probability: 0.15 }, fault })),
	},
];

const flow = emailsThrough(
	samples,
	{ binaryPropertyName: 'attachment_*', simple: false },
	{ onError: 'continueErrorOutput' },
);

async function ledgerNames({ service }: Account): Promise<string[]> {
	const { uploads } = await service.control.ledger();
	return uploads.map((upload) => upload.fileName).sort();
}

export default ({ account, run }: Stage) => {
	for (const { name, fault, reason, isDone } of brokenUploads) {
		test(`${name} costs one file, which goes to the error output`, async () => {
			const used = await account();
			await used.service.control.faults([
				{ match: { operation: 'upload', skip: 1, times: 1 }, fault },
			]);

			const execution = await run(flow, used);

			const failed = assertOneFailed(execution, outcomeUnknown);
			assert.match(String(failed.json.error), reason);
			assert.equal((await ledgerNames(used)).length, fileNames.length - (isDone ? 0 : 1));
		});
	}

	for (const { name, rules } of passing) {
		test(`${name} costs nothing but time`, async () => {
			const used = await account();
			await used.service.control.faults(rules);

			const execution = await run(flow, used);

			assert.equal(execution.status, 'success', execution.errorMessage);
			assert.deepEqual(execution.items(extractionNodeName, 1), []);
			assert.ok(execution.items(extractionNodeName).every(isExtracted));
			assert.deepEqual(await ledgerNames(used), fileNames);
			const { extractions } = await used.service.control.ledger();
			assert.equal(extractions.flatMap(({ documentIds }) => documentIds).length, fileNames.length);
			assert.ok((await used.service.control.requests()).some(({ status }) => status !== 200));
		});
	}
};
