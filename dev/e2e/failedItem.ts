import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { INodeExecutionData } from 'n8n-workflow';
import type { Execution } from '../n8n/execution.ts';
import { extractionNodeName } from '../n8n/workflow.ts';
import { samples } from './stage.ts';

/** Of the attachments that the flow's emails bring. */
export const fileNames = (await readdir(samples)).sort();

export const isExtracted = ({ json }: INodeExecutionData) => json.extraction !== undefined;

const fileName = ({ json }: INodeExecutionData) => (json.file as { name: string }).name;

/** It has its reason, its own file and no other, and the JSON of the item that it came from. */
export function assertFailedItem(
	failed: INodeExecutionData,
	extracted: INodeExecutionData[],
	reason: RegExp,
) {
	assert.match(String(failed.json.message), reason);
	const files = Object.values(failed.binary ?? {}).map((file) => file.fileName);
	assert.deepEqual([...files, ...extracted.map(fileName)].sort(), fileNames);
	assert.ok(failed.json.subject, 'the input stays with the item');
	assert.ok(failed.pairedItem);
}

/** One file left through the error output, all others through the first one. */
export function assertOneFailed(execution: Execution, reason: RegExp): INodeExecutionData {
	assert.equal(execution.status, 'success', execution.errorMessage);
	const extracted = execution.items(extractionNodeName);
	assert.equal(extracted.length, fileNames.length - 1);
	assert.ok(extracted.every(isExtracted));
	const failed = execution.items(extractionNodeName, 1);
	assert.equal(failed.length, 1);
	assertFailedItem(failed[0], extracted, reason);
	return failed[0];
}
