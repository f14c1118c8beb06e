/** Files as n8n keeps them: those of an item and of an execution, their size and their bytes. */
import { UserError } from 'n8n-workflow';
import type {
	IBinaryData,
	IBinaryKeyData,
	IExecuteFunctions,
	INodeExecutionData,
	IWorkflowDataProxyData,
} from 'n8n-workflow';

import { CallError } from '../../service/callError';
import { runOf } from '../../service/client';
import { baseName, nameInMessage, redact, sentences, shortName } from '../../http/redact';
import { settled } from '../../http/concurrency';
import { extensionOf, hasExtension, TELLING_BYTES, typeOf } from './fileTypes';
import { chunksOf, streamFrom, type FileContent } from '../../http/transfer';

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

/**
 * A file of n8n's storage that came to the node in this execution: with its input, or as the output
 * of a node before it. Undefined for the ID of any other file.
 */
export function storedFile(context: IExecuteFunctions, id: string): IBinaryData | undefined {
	const run = runOf(context);
	run.storedFiles ??= storedFilesBefore(context);
	return run.storedFiles.get(id);
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
		try {
			for (let index = 0; ; index++) outputs.push(data.$items(node, index, run) ?? []);
		} catch {
			// n8n does not say how many outputs a node has: it throws for the one after the last.
		}
	}
	return outputs;
}

/** One file of an input item. */
export interface InputFile {
	itemIndex: number;
	/** The binary field that holds it; a free name if an expression gave the file. */
	field: string;
	/** A file name without path, line breaks or control characters, of at most 255 bytes. */
	name: string;
	mimeType: string;
	/** In bytes; 0 where the content cannot be read. */
	size: number;
	binary: IBinaryData;
	/** How many items the run has: messages name the item if it is not the only one. */
	itemCount: number;
	/** Why its content cannot be read. */
	error?: Error;
}

/**
 * A file as it comes in, from wherever: with a name and a type that can be sent, and its size.
 * @param value as the item or an expression holds it, which a Code node may have made
 */
export async function inputFile(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	value: unknown,
): Promise<InputFile> {
	const binary = (value !== null && typeof value === 'object' ? value : {}) as IBinaryData;
	const mimeType = textOf(binary.mimeType);
	const name = givenName(binary, field);
	const extension = /^(?!bin$)\w{1,10}$/.exec(textOf(binary.fileExtension))?.[0];
	// n8n derives the extension from the type that came with the file; a type it does not know becomes plain text.
	const telling = extension === 'txt' ? undefined : extension;
	const about = { itemIndex, field, binary, itemCount: context.getInputData().length };
	try {
		const size = await sizeOf(context, binary, name);
		const beginning = async () => await beginningOf(context, binary, name);
		const type = await typeOf(mimeType, withExtension(name, telling), beginning);
		const whole = withExtension(name, extensionOf(type) ?? extension);
		return { ...about, name: shortName(whole), mimeType: type, size };
	} catch (error) {
		return { ...about, name: shortName(name), mimeType, size: 0, error: error as Error };
	}
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** In bytes. A file with an `id` is on disk, in the database or in object storage. */
async function sizeOf(context: IExecuteFunctions, { id, data }: IBinaryData, name: string) {
	if (!id) return decodedSize(data, name);
	return (await fromStorage(name, context.helpers.getBinaryMetadata(id))).fileSize;
}

/** The first bytes of a file. */
async function beginningOf(
	context: IExecuteFunctions,
	{ id, data }: IBinaryData,
	name: string,
): Promise<Buffer> {
	if (!id) return Buffer.from(data.slice(0, 2 * TELLING_BYTES), 'base64');
	const stream = await fromStorage(name, context.helpers.getBinaryStream(id));
	// Leaving the loop destroys the stream, and so closes the file.
	for await (const chunk of stream as AsyncIterable<Buffer>)
		return chunk.subarray(0, TELLING_BYTES);
	return Buffer.alloc(0);
}

/** @throws CallError where n8n's storage does not give the file */
async function fromStorage<T>(name: string, reading: Promise<T>): Promise<T> {
	const outcome = await settled(reading);
	if (!outcome.error) return outcome.value;
	const text = redact(outcome.error.message);
	throw new CallError({ kind: 'file not kept', fileName: name, text });
}

/**
 * In bytes. Base64 may have line breaks, as in emails.
 * @throws UserError for anything else, e.g. words, hex, a `data:` URI or a buffer
 */
function decodedSize(data: unknown, name: string): number {
	const text = typeof data === 'string' ? data.trim().replace(/[\r\n]+[\t ]*/g, '') : '\0';
	if (isBase64(text)) return Buffer.byteLength(text, 'base64');
	throw new UserError(`The 'data' of the file ${nameInMessage(name)} is not Base64`, {
		description: sentences(
			"It must be Base64 alone, without 'data:…', and neither plain text nor hex.",
			"Correct the step that makes it: n8n's node Convert to File makes a file of a text.",
		),
	});
}

/** The Base64 of a real file that is longer has other characters than digits of hex. */
const LONGEST_BY_CHANCE = 16;

/** Whether a text is Base64, or its form for URLs, with padding; hex is the same alphabet, but something else. */
function isBase64(text: string): boolean {
	// Searched, as a pattern that fits all of a large text would overflow.
	const end = text.search(/[^\w+/-]/);
	const isPadded = end < 0 || /^={1,2}$/.test(text.slice(end));
	const isMixed = /[+/]/.test(text) && /[-_]/.test(text);
	const isHex = text.length > LONGEST_BY_CHANCE && /\d/.test(text) && !/[^\da-f-]/i.test(text);
	return isPadded && text.length % 4 === 0 && !isMixed && !isHex;
}

/** The name that a file came with, as one that can be sent; without any, that of its field. */
export function givenName({ fileName }: IBinaryData, field: string): string {
	const isName = (text: string) => !/^\.*$/.test(text);
	return [baseName(textOf(fileName)), baseName(field)].find(isName) ?? 'file';
}

/** A name that ends with an extension, as services may tell files by it. */
function withExtension(name: string, extension: string | undefined): string {
	return extension === undefined || hasExtension(name, extension) ? name : `${name}.${extension}`;
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
				? await fromStorage(name, context.helpers.getBinaryStream(id))
				: streamFrom(chunksOf(Buffer.from(binary.data, 'base64')));
		return { ...about, open };
	}
	if (!id) return { ...about, bytes: Buffer.from(binary.data, 'base64') };
	// n8n requires both, though it finds the bytes by the `id`.
	const described = { ...binary, data: '', mimeType };
	const bytes = await fromStorage(name, context.helpers.getBinaryDataBuffer(itemIndex, described));
	return { ...about, bytes };
}
