/** Files as n8n keeps them: those of an item and of an execution, their size and their bytes. */
import type {
	IBinaryData,
	IBinaryKeyData,
	IExecuteFunctions,
	INodeExecutionData,
	IWorkflowDataProxyData,
} from 'n8n-workflow';

import { chunksOf, streamFrom, type FileContent } from '../http/payload';

/** The field of the JSON that holds files if the workflow's setting 'binaryMode' is 'combined' (n8n-workflow). */
const FILES_IN_JSON = '_files';

/** Whether n8n may keep files inside the JSON of items. */
export function keepsFilesInJson(context: IExecuteFunctions): boolean {
	// Older versions of n8n lack the method.
	return context.getWorkflowSettings?.().binaryMode === 'combined';
}

/** The files of an item, by the names of their fields. */
export function filesOf(
	context: IExecuteFunctions,
	{ json, binary }: INodeExecutionData,
): IBinaryKeyData {
	// In other workflows the field is ordinary JSON, whose IDs are not to be trusted.
	const inJson = keepsFilesInJson(context) ? json[FILES_IN_JSON] : undefined;
	return { ...(inJson as IBinaryKeyData | undefined), ...binary };
}

const storedFiles = new WeakMap<IExecuteFunctions, Map<string, IBinaryData>>();

/**
 * A file of n8n's storage that came to the node in this execution: with its input, or as the output
 * of a node before it. Undefined for the ID of any other file.
 */
export function storedFile(context: IExecuteFunctions, id: string): IBinaryData | undefined {
	const known = storedFiles.get(context) ?? storedFilesBefore(context);
	storedFiles.set(context, known);
	return known.get(id);
}

function storedFilesBefore(context: IExecuteFunctions): Map<string, IBinaryData> {
	const data = context.getWorkflowDataProxy(0);
	const before = context.getParentNodes(context.getNode().name);
	const items = [context.getInputData(), ...before.flatMap(({ name }) => outputsOf(data, name))];
	const files = items.flat().flatMap((item) => Object.values(filesOf(context, item)));
	return new Map(files.flatMap((file) => (file?.id ? [[file.id, file]] : [])));
}

/** What a node has output so far, in each of its runs. */
function outputsOf(data: IWorkflowDataProxyData, node: string): INodeExecutionData[][] {
	const outputs: INodeExecutionData[][] = [];
	const lastRun = Number(data.$node[node].runIndex);
	for (let run = 0; run <= lastRun; run++) {
		for (let index = 0, output; (output = outputOf(data, node, index, run)); index++) {
			outputs.push(output);
		}
	}
	return outputs;
}

function outputOf(
	data: IWorkflowDataProxyData,
	node: string,
	index: number,
	run: number,
): INodeExecutionData[] | undefined {
	try {
		return data.$items(node, index, run) ?? [];
	} catch {
		// n8n does not say how many outputs a node has: it throws for the one after the last.
		return undefined;
	}
}

/** In bytes. A file with an `id` is on disk, in the database or in object storage. */
export async function sizeOf(context: IExecuteFunctions, binary: IBinaryData): Promise<number> {
	if (!binary.id) return decodedSize(binary.data);
	return (await context.helpers.getBinaryMetadata(binary.id)).fileSize;
}

/** In bytes. Node.js only estimates it if there are other characters, such as line breaks. */
function decodedSize(base64: string): number {
	const end = base64.search(/[^\w+/-]/);
	const isPlain = end < 0 || /^={1,2}$/.test(base64.slice(end));
	return isPlain ? Buffer.byteLength(base64, 'base64') : Buffer.from(base64, 'base64').length;
}

/** One file of an input item. */
export interface InputFile {
	itemIndex: number;
	/** The binary field that holds it; a free name if an expression gave the file. */
	field: string;
	/** A file name without path, line breaks or control characters. */
	name: string;
	mimeType: string;
	/** In bytes. */
	size: number;
	binary: IBinaryData;
	/** How many items the run has: messages name the item if it is not the only one. */
	itemCount: number;
}

/** In bytes: one chunk of a stream, which would hold a smaller file whole as well. */
const LARGEST_AT_ONCE = 64 * 1024;

/** The bytes of a file for a request. Large files are streamed. */
export async function contentOf(
	context: IExecuteFunctions,
	{ itemIndex, binary, name, mimeType, size }: InputFile,
): Promise<FileContent> {
	const about = { name, mimeType, size };
	const { id } = binary;
	if (size > LARGEST_AT_ONCE) {
		const open = async () =>
			id
				? await context.helpers.getBinaryStream(id)
				: streamFrom(chunksOf(Buffer.from(binary.data, 'base64')));
		return { ...about, open };
	}
	if (!id) {
		return { ...about, writeTo: (target, offset) => target.write(binary.data, offset, 'base64') };
	}
	// n8n requires both, though it finds the bytes by the `id`.
	const described = { ...binary, data: '', mimeType };
	const bytes = await context.helpers.getBinaryDataBuffer(itemIndex, described);
	return { ...about, writeTo: (target, offset) => bytes.copy(target, offset) };
}
