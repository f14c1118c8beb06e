import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService, FileLocation } from 'n8n-core';
import {
	fileTypeFromMimeType,
	type IBinaryData,
	type IBinaryKeyData,
	type IDataObject,
	type INodeExecutionData,
} from 'n8n-workflow';

export type BinaryMode = 'memory' | 'filesystem';

export interface FileContent {
	data: Buffer | string | Readable;
	fileName?: string;
	mimeType?: string;
}

const INPUT_FILES = FileLocation.ofExecution('input-workflow', 'input-execution');

let currentMode: BinaryMode | undefined;

/**
 * Where n8n keeps the files that are made from now on. It is a setting of the whole process, as in
 * n8n; files that already exist stay readable in either mode.
 */
export async function useBinaryMode(mode: BinaryMode) {
	if (currentMode === mode) return;
	Container.get(BinaryDataConfig).mode = mode === 'memory' ? 'default' : 'filesystem';
	await Container.get(BinaryDataService).init();
	currentMode = mode;
}

async function storeFile({ data, fileName, mimeType = 'application/octet-stream' }: FileContent) {
	// The name is stored as given: names that n8n itself would tidy up are worth testing too.
	const description: IBinaryData = {
		data: '',
		mimeType,
		fileType: fileTypeFromMimeType(mimeType),
		...(fileName !== undefined && { fileName, fileExtension: extname(fileName).slice(1) }),
	};
	return await Container.get(BinaryDataService).store(
		INPUT_FILES,
		typeof data === 'string' ? Buffer.from(data) : data,
		description,
	);
}

/** An item with files, as a node such as Read Files or an email trigger would hand it on. */
export async function binaryItem({
	json = {},
	files,
	mode = 'memory',
}: {
	json?: IDataObject;
	files: Record<string, FileContent>;
	mode?: BinaryMode;
}): Promise<INodeExecutionData> {
	await useBinaryMode(mode);
	const binary: IBinaryKeyData = {};
	for (const [field, content] of Object.entries(files)) binary[field] = await storeFile(content);
	return { json, binary };
}

export async function readBinary(item: INodeExecutionData, field: string): Promise<Buffer> {
	const file = item.binary?.[field];
	if (!file) throw new Error(`The item has no binary field '${field}'`);
	return await Container.get(BinaryDataService).getAsBuffer(file);
}
