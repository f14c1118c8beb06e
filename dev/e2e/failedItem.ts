import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { INodeExecutionData } from 'n8n-workflow';
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
