import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Container } from '@n8n/di';
import {
	BinaryDataBlobManager,
	BinaryDataConfig,
	BinaryDataService,
	ErrorReporter,
	FileLocation,
} from 'n8n-core';
import {
	fileTypeFromMimeType,
	type IBinaryData,
	type IBinaryKeyData,
	type IDataObject,
	type INodeExecutionData,
} from 'n8n-workflow';

export const BINARY_MODES = ['memory', 'filesystem'] as const;
export type BinaryMode = (typeof BINARY_MODES)[number];

export interface FileContent {
	data: Buffer | string | Readable;
	fileName?: string;
	mimeType?: string;
}

const INPUT_FILES = FileLocation.ofExecution('input-workflow', 'input-execution');

/** Not of this module: it is there twice where one part of a program imports it and another requires it. */
const ofProcess = globalThis as typeof globalThis & { binaryMode?: BinaryMode };

/**
 * Where n8n keeps the files that are made from now on. It is a setting of the whole process, as in
 * n8n; files that already exist stay readable in either mode.
 */
export async function useBinaryMode(mode: BinaryMode) {
	if (ofProcess.binaryMode === mode) return;
	Container.get(BinaryDataConfig).mode = mode === 'memory' ? 'default' : 'filesystem';
	await Container.get(BinaryDataService).init();
	ofProcess.binaryMode = mode;
}

/**
 * From now on n8n's folder of files is in memory, and its files are read from there as streams: for
 * thousands of runs, in which a disk would take most of the time.
 * @returns what is in it
 */
export function useFolderInMemory(): Map<string, Buffer> {
	const folder = new Map<string, Buffer>();
	const service = Container.get(BinaryDataService);
	const { init } = service;
	service.init = async () => {
		const real = init.call(service);
		// At once: others may be using the folder already.
		service.setManager('filesystem-v2', managerOf(folder));
		await real;
	};
	return folder;
}

function managerOf(folder: Map<string, Buffer>): BinaryDataBlobManager {
	const content = (key: string) => folder.get(key) ?? null;
	return new BinaryDataBlobManager(
		{
			write: async (key, body) => {
				const bytes = Buffer.isBuffer(body) ? body : await buffer(body);
				folder.set(key, bytes);
				return bytes.length;
			},
			read: async (key) => await Promise.resolve(content(key)),
			readStream: async (key) => {
				const bytes = content(key);
				return await Promise.resolve(
					bytes && Readable.from(piecesOf(bytes), { objectMode: false }),
				);
			},
			copy: async (from, to) => {
				folder.set(to, content(from) ?? Buffer.of());
				await Promise.resolve();
			},
			rename: async (from, to) => {
				folder.set(to, content(from) ?? Buffer.of());
				folder.delete(from);
				await Promise.resolve();
			},
			delete: async (keys) => {
				for (const key of keys) folder.delete(key);
				await Promise.resolve();
			},
		},
		Container.get(ErrorReporter),
	);
}

/** As large as Node.js reads a file. */
const PIECE_BYTES = 64 * 1024;

function* piecesOf(bytes: Buffer) {
	for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
		yield bytes.subarray(start, start + PIECE_BYTES);
	}
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

/** An item with these files, in the fields `file_0`, `file_1` and so on. */
export const itemWith = async (...files: FileContent[]): Promise<INodeExecutionData> =>
	await binaryItem({
		files: Object.fromEntries(files.map((file, index) => [`file_${index}`, file])),
	});

/** An item for each of these files, which is in the field `data`. */
export const itemsWith = async (...files: FileContent[]): Promise<INodeExecutionData[]> =>
	await Promise.all(files.map(async (data) => await binaryItem({ files: { data } })));

/** As when n8n deletes the execution that a stored file belongs to. */
export async function deleteFile(id: string) {
	await Container.get(BinaryDataService).deleteManyByBinaryDataId([id]);
}

export async function readBinary(item: INodeExecutionData, field: string): Promise<Buffer> {
	const file = item.binary?.[field];
	if (!file) throw new Error(`The item has no binary field '${field}'`);
	return await Container.get(BinaryDataService).getAsBuffer(file);
}
