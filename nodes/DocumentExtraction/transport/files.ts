/** Files of input items: which ones are meant, and their bytes: large ones are never held whole unless n8n does. */
import type { IBinaryData, IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { inputError } from './connection';
import type { Payload } from './request';

/** A readable byte stream, as n8n hands it out; `stream` itself must not be imported by a node. */
type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** One file of an input item. */
export interface InputFile {
	itemIndex: number;
	/** The name of the binary field that holds it. */
	field: string;
	/** A file name without path, line breaks or control characters. */
	name: string;
	mimeType: string;
	/** In bytes. */
	size: number;
	binary: IBinaryData;
}

/** A file that the filters left out, and why. */
export interface SkippedFile {
	itemIndex: number;
	field: string;
	reason: string;
}

export interface FileFilter {
	/** Comma-separated MIME types, `image/*` included; empty for all. */
	mimeTypes?: string;
	/** In kB (1,000 bytes); 0 or undefined for no bound. */
	minSize?: number;
	maxSize?: number;
}

const LONGEST_NAME = 255;
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/**
 * The files of one item that a field selection means: a name, a comma list, or patterns with `*`.
 * A name must be there; a pattern may match nothing.
 * @throws NodeOperationError naming the fields that the item has
 */
export async function selectFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	selection: unknown,
	filter: FileFilter,
): Promise<{ files: InputFile[]; skipped: SkippedFile[] }> {
	const available = filesOf(context, itemIndex);
	const names = String(selection ?? '')
		.split(',')
		.map((name) => name.trim().replace(PATH_IN_JSON, ''))
		.filter(Boolean);
	if (names.length === 0) {
		throw inputError(context, itemIndex, "'Input Data Field Name' is empty");
	}
	const fields = new Set(
		names.flatMap((name) => matchingFields(context, itemIndex, available, name)),
	);
	const files: InputFile[] = [];
	const skipped: SkippedFile[] = [];
	for (const field of fields) {
		const binary = available[field] ?? context.helpers.assertBinaryData(itemIndex, field);
		const file: InputFile = {
			itemIndex,
			field,
			name: fileName(binary, field),
			mimeType: mimeTypeOf(binary),
			size: await sizeOf(context, binary),
			binary,
		};
		const reason = reasonToSkip(file, filter);
		if (reason) skipped.push({ itemIndex, field, reason });
		else files.push(file);
	}
	return { files, skipped };
}

/** A workflow whose setting 'binaryMode' is 'combined' keeps files inside the JSON (n8n-workflow). */
const FILES_IN_JSON = '_files';
/** As n8n's editor names such a file. */
const PATH_IN_JSON = /^_files\./;

function filesOf(context: IExecuteFunctions, itemIndex: number): IBinaryKeyData {
	const { binary, json } = context.getInputData()[itemIndex];
	return { ...(json[FILES_IN_JSON] as IBinaryKeyData | undefined), ...binary };
}

function matchingFields(
	context: IExecuteFunctions,
	itemIndex: number,
	files: IBinaryKeyData,
	name: string,
): string[] {
	const available = Object.keys(files);
	if (name.includes('*')) {
		const pattern = new RegExp(`^${name.split('*').map(escapeRegExp).join('.*')}$`, 's');
		return available.filter((field) => pattern.test(field));
	}
	if (available.includes(name)) return [name];
	if (available.length > 0) {
		throw inputError(
			context,
			itemIndex,
			`The item has no file in the field that 'Input Data Field Name' names [item ${itemIndex}]`,
			`It has files in: ${available.join(', ')}. To take several, enter their names with commas between them, or a pattern such as attachment_*, or * for all.`,
		);
	}
	// n8n's own check explains well, and knows paths to files inside the JSON.
	context.helpers.assertBinaryData(itemIndex, name);
	return [name];
}

/** Without parameters such as a character set, which storage does not sign. */
function mimeTypeOf({ mimeType }: IBinaryData): string {
	const type = (mimeType ?? '').split(';')[0].trim();
	return MIME_TYPE.test(type) ? type : 'application/octet-stream';
}

function escapeRegExp(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function fileName(binary: IBinaryData, field: string): string {
	const extended = binary.fileExtension ? `${field}.${binary.fileExtension}` : field;
	const name =
		[binary.fileName ?? '', extended].map(tidy).find((text) => !/^\.*$/.test(text)) ?? 'file';
	if (name.length <= LONGEST_NAME) return name;
	const extension = /\.\w{1,10}$/.exec(name)?.[0] ?? '';
	return `${[...name].slice(0, LONGEST_NAME / 2).join('')}${extension}`;
}

/** The last part of a path, on one line. */
function tidy(path: string): string {
	const name = path.split(/[/\\]/).pop() ?? '';
	return name.replace(/\p{Cc}+/gu, ' ').trim();
}

/** In bytes. A binary with an `id` lies outside the item: on disk, in the database or in object storage. */
async function sizeOf(context: IExecuteFunctions, binary: IBinaryData): Promise<number> {
	if (!binary.id) return decodedSize(binary.data);
	return (await context.helpers.getBinaryMetadata(binary.id)).fileSize;
}

/** In bytes. Node.js only estimates it where there is more than base64, such as line breaks from a Code node. */
function decodedSize(base64: string): number {
	const end = base64.search(/[^\w+/-]/);
	const isPlain = end < 0 || /^={1,2}$/.test(base64.slice(end));
	return isPlain ? Buffer.byteLength(base64, 'base64') : Buffer.from(base64, 'base64').length;
}

function reasonToSkip(
	file: InputFile,
	{ mimeTypes = '', minSize = 0, maxSize = 0 }: FileFilter,
): string | undefined {
	const wanted = mimeTypes
		.split(',')
		.map((type) => type.trim().toLowerCase())
		.filter(Boolean);
	const type = file.mimeType.toLowerCase();
	const isWanted = wanted.some((mime) =>
		mime.endsWith('/*') ? type.startsWith(mime.slice(0, -1)) : mime === type,
	);
	const isAnyWanted = wanted.length === 0 || wanted.some((mime) => /^\*(\/\*)?$/.test(mime));
	if (!isAnyWanted && !isWanted) return `its type is ${file.mimeType}`;
	if (file.size === 0) return 'it is empty';
	if (minSize && file.size < minSize * 1000) return `it is smaller than ${minSize} kB`;
	if (maxSize && file.size > maxSize * 1000) return `it is larger than ${maxSize} kB`;
	return undefined;
}

/**
 * n8n closes a connection as soon as its answer is there. A service that answers before it has read
 * a streamed body, to refuse it, would be cut off and its reason lost (EPIPE).
 */
const STREAMED = { Connection: 'keep-alive' };

/** In bytes. A file that fits into one chunk of a stream would be held whole by the stream, too, beside memory for more. */
const LARGEST_AT_ONCE = 64 * 1024;

/** The bytes of a file that n8n keeps on disk or elsewhere, if they are few. */
export async function smallContent(
	context: IExecuteFunctions,
	{ itemIndex, binary, mimeType, size }: InputFile,
): Promise<Buffer | undefined> {
	if (!binary.id || size > LARGEST_AT_ONCE) return undefined;
	// n8n insists on both, though it finds the bytes by the `id`.
	const described = { ...binary, data: '', mimeType };
	return await context.helpers.getBinaryDataBuffer(itemIndex, described);
}

/** The bytes of a file as the body of a PUT: streamed from where n8n keeps them, made anew each time. */
export async function rawPayload(
	context: IExecuteFunctions,
	file: InputFile,
	content: Buffer | undefined,
): Promise<Payload> {
	const headers = { 'Content-Type': file.mimeType, 'Content-Length': file.size };
	if (!file.binary.id) return { body: Buffer.from(file.binary.data, 'base64'), headers };
	if (content) return { body: content, headers };
	const stream = await context.helpers.getBinaryStream(file.binary.id);
	return {
		body: stream as IDataObject & ByteStream,
		headers: { ...headers, ...STREAMED },
		discard: () => stream.destroy(),
	};
}

/**
 * A file and text fields as multipart/form-data with a known length (RFC 7578). A file on disk is
 * streamed through; one that n8n holds in memory is decoded straight into its place in the body.
 */
export async function multipartPayload(
	context: IExecuteFunctions,
	file: InputFile,
	content: Buffer | undefined,
	fileField: string,
	fields: { [name: string]: string | undefined },
): Promise<Payload> {
	const boundary = `----n8n${Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join('')}`;
	const parts = Object.entries(fields)
		.filter(([, value]) => value !== undefined)
		.map(
			([name, value]) =>
				`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
		);
	const head = Buffer.from(
		`${parts.join('')}--${boundary}\r\nContent-Disposition: form-data; name="${quoted(fileField)}"; filename="${quoted(file.name)}"\r\nContent-Type: ${file.mimeType}\r\n\r\n`,
	);
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	const size = head.length + file.size + tail.length;
	const headers = {
		'Content-Type': `multipart/form-data; boundary=${boundary}`,
		'Content-Length': size,
	};
	if (!file.binary.id) {
		const body = Buffer.alloc(size);
		head.copy(body);
		body.write(file.binary.data, head.length, 'base64');
		tail.copy(body, size - tail.length);
		return { body, headers };
	}
	if (content) return { body: Buffer.concat([head, content, tail]), headers };
	const stream = await context.helpers.getBinaryStream(file.binary.id);
	let isWhole = false;
	const body = stream.compose(async function* (source: AsyncIterable<Buffer>) {
		yield head;
		yield* source;
		isWhole = true;
		yield tail;
	}) as ByteStream;
	return {
		body: body as IDataObject & typeof body,
		headers: { ...headers, ...STREAMED },
		discard: () => {
			body.destroy();
			stream.destroy();
		},
		isWhole: () => isWhole,
	};
}

/** As browsers escape names in multipart headers (HTML Living Standard, multipart/form-data encoding). */
function quoted(name: string): string {
	return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
