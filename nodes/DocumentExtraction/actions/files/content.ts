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
	const name = givenName(binary, field);
	const about = { itemIndex, field, binary, itemCount: context.getInputData().length };
	try {
		const size = await sizeOf(context, binary, name);
		// A file in memory is not decoded whole for its first bytes.
		const begun = { ...binary, data: textOf(binary.data).slice(0, MOST_TELLING) };
		const open = async () => await streamOf(context, begun, name);
		const mimeType = await typeOf(textOf(binary.mimeType), name, open);
		return { ...about, name: shortName(withExtension(name, mimeType)), mimeType, size };
	} catch (error) {
		const mimeType = textOf(binary.mimeType);
		return { ...about, name: shortName(name), mimeType, size: 0, error: error as Error };
	}
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The name that a file came with, as one that can be sent; without any, that of its field. */
export function givenName({ fileName }: IBinaryData, field: string): string {
	const isName = (text: string) => !/^\.*$/.test(text);
	return [baseName(textOf(fileName)), baseName(field)].find(isName) ?? 'file';
}

/** The bytes of a file for a request. */
export function contentOf(
	context: IExecuteFunctions,
	{ binary, name, mimeType, size }: InputFile,
): FileContent {
	return { name, mimeType, size, open: async () => await streamOf(context, binary, name) };
}

/** In bytes. A file with an `id` is on disk, in the database or in object storage. */
async function sizeOf(context: IExecuteFunctions, { id, data }: IBinaryData, name: string) {
	if (id) return (await fromStorage(name, context.helpers.getBinaryMetadata(id))).fileSize;
	const text = base64In(data);
	if (text !== undefined) return Buffer.byteLength(text, 'base64');
	throw new UserError(`The 'data' of the file ${nameInMessage(name)} is not Base64`, {
		description: sentences(
			"It must be Base64 alone, without 'data:…', and neither plain text nor hex.",
			"Correct the step that makes it: n8n's node Convert to File makes a file of a text.",
		),
	});
}

/** The Base64 of a real file that is longer has other characters than digits of hex. */
const LONGEST_BY_CHANCE = 16;

/**
 * Base64, or its form for URLs, with padding, but without the line breaks that it has in emails; undefined
 * for anything else. Hex has the same alphabet, but is something else.
 */
function base64In(data: unknown): string | undefined {
	const text = typeof data === 'string' ? data.trim().replace(/[\r\n]+[\t ]*/g, '') : '\0';
	// Searched, as a pattern that fits all of a large text would overflow.
	const end = text.search(/[^\w+/-]/);
	const isPadded = end < 0 || /^={1,2}$/.test(text.slice(end));
	const isMixed = /[+/]/.test(text) && /[-_]/.test(text);
	const isHex = text.length > LONGEST_BY_CHANCE && /\d/.test(text) && !/[^\da-f-]/i.test(text);
	return isPadded && text.length % 4 === 0 && !isMixed && !isHex ? text : undefined;
}

async function streamOf(context: IExecuteFunctions, { id, data }: IBinaryData, name: string) {
	if (!id) return streamFrom(chunksOf(Buffer.from(data, 'base64')));
	return await fromStorage(name, context.helpers.getBinaryStream(id));
}

/** @throws CallError where n8n's storage does not give the file */
async function fromStorage<T>(name: string, reading: Promise<T>): Promise<T> {
	const outcome = await settled(reading);
	if (!outcome.error) return outcome.value;
	const text = redact(outcome.error.message);
	throw new CallError({ kind: 'file not kept', fileName: name, text });
}

/** What is sent as a document, and how to tell it where its type says nothing. */
interface FileType {
	type: string;
	/** The usual one first. */
	extensions: string[];
	/** What else senders call it. */
	aliases?: string[];
	/** The beginning of such a file, in Latin-1. */
	begins?: RegExp;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';

const FILE_TYPES: FileType[] = [
	{
		type: 'application/pdf',
		extensions: ['pdf'],
		aliases: ['application/x-pdf', 'application/acrobat'],
		begins: /^\s*%PDF-/,
	},
	{
		type: 'image/jpeg',
		extensions: ['jpg', 'jpeg'],
		aliases: ['image/jpg', 'image/pjpeg'],
		begins: /^\xff\xd8\xff/,
	},
	{ type: 'image/png', extensions: ['png'], aliases: ['image/x-png'], begins: /^\x89PNG/ },
	{
		type: 'image/tiff',
		extensions: ['tif', 'tiff'],
		aliases: ['image/tif', 'image/x-tiff'],
		begins: /^(?:II\*\0|MM\0\*)/,
	},
	{ type: 'image/webp', extensions: ['webp'] },
	{ type: 'image/heic', extensions: ['heic', 'heif'] },
	{ type: `${OFFICE}.wordprocessingml.document`, extensions: ['docx'] },
	{ type: `${OFFICE}.spreadsheetml.sheet`, extensions: ['xlsx'] },
	{ type: 'application/msword', extensions: ['doc'] },
	{ type: 'application/vnd.ms-excel', extensions: ['xls'] },
	{ type: 'text/csv', extensions: ['csv'] },
	{ type: 'text/plain', extensions: ['txt'] },
];

const EXTENSION = /\.(\w{1,10})$/;
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** Whether a type does not tell what a file is: its sender does not know, or does not say. */
function saysNothing(mimeType: string): boolean {
	return !MIME_TYPE.test(mimeType) || /octet|download|unknown|^binary\/|\/binary$/.test(mimeType);
}

const PLAIN_TEXT = 'text/plain';
/** So many bytes tell the type of a file, and so much Base64 holds them, line breaks included. */
const TELLING_BYTES = 100;
const MOST_TELLING = 1000;

/** The type that a name's extension stands for. */
function typeNamed(name: string): string | undefined {
	const extension = EXTENSION.exec(name)?.[1].toLowerCase() ?? '';
	return FILE_TYPES.find(({ extensions }) => extensions.includes(extension))?.type;
}

/**
 * The type of a file: the one that came with it, by its registered name and without parameters, which
 * signed URLs do not cover. If that says nothing, the name's extension decides, or else the first bytes.
 * They also tell plain text from what n8n only calls so, because it does not know its type.
 */
async function typeOf(mimeType: string, name: string, open: FileContent['open']): Promise<string> {
	const given = mimeType.split(';')[0].trim().toLowerCase();
	const named = typeNamed(name);
	const isUnknown = saysNothing(given);
	if (isUnknown && named) return named;
	if (!isUnknown && (given !== PLAIN_TEXT || named?.startsWith('text/'))) {
		return FILE_TYPES.find(({ aliases }) => aliases?.includes(given))?.type ?? given;
	}
	let begin = '';
	for await (const chunk of (await open()) as AsyncIterable<Buffer>) {
		begin = chunk.subarray(0, TELLING_BYTES).toString('latin1');
		// Leaving the loop destroys the stream, and so closes the file.
		break;
	}
	const begun = FILE_TYPES.find(({ begins }) => begins?.test(begin))?.type;
	return begun ?? (isUnknown ? 'application/octet-stream' : given);
}

/**
 * A name that ends with an extension, as services may tell files by it. What stands after a dot may belong
 * to the name, as in `Acme.com` or `Invoice No.A12`; only texts have many extensions.
 */
function withExtension(name: string, mimeType: string): string {
	const usual = FILE_TYPES.find(({ type }) => type === mimeType)?.extensions[0];
	const isText = mimeType.startsWith('text/') && EXTENSION.test(name);
	return usual === undefined || isText || typeNamed(name) ? name : `${name}.${usual}`;
}
