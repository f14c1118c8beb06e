/** Files of input items: which ones are meant, and their bytes. */
import { UserError } from 'n8n-workflow';
import type { IBinaryData, IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';

import { withNote } from '../api/callError';
import { isTool } from '../api/run';
import { chunksOf, streamFrom, type FileContent } from '../http/payload';
import { baseName } from '../http/redact';
import { assertNoFileInText, givenFile, howToGive } from './givenFiles';
import { filesOf } from './itemFiles';

/** One file of an input item. */
export interface InputFile {
	itemIndex: number;
	/** The name of the binary field that holds it, or one of its own where an expression gave the file. */
	field: string;
	/** A file name without path, line breaks or control characters. */
	name: string;
	mimeType: string;
	/** In bytes. */
	size: number;
	binary: IBinaryData;
	/** Whether the run has other items, so that a message has to say which one the file is of. */
	isOfOneAmongMany: boolean;
}

/** A file that the filters left out, and why. */
export interface SkippedFile {
	file: InputFile;
	reason: string;
}

export interface FileFilter {
	/** Comma-separated MIME types, `image/*` included; empty for all. */
	mimeTypes?: string;
	/** In MB (1,000,000 bytes); 0 or undefined for no bound. */
	minFileSizeMb?: number;
	maxFileSizeMb?: number;
}

/** A file for a message: by its name, and its item where there are several. */
export function describedFile({ name, itemIndex, isOfOneAmongMany }: InputFile): string {
	return isOfOneAmongMany ? `${name} ${itemLabel(itemIndex)}` : name;
}

/** An item for a message, as n8n itself counts items below messages and in expressions: from 0. */
export function itemLabel(itemIndex: number): string {
	return `[item ${itemIndex}]`;
}

export function hasManyItems(context: IExecuteFunctions): boolean {
	return context.getInputData().length > 1;
}

const HOW_TO_PASS_OVER =
	"If some items have no file, enter a pattern in 'Input Data Field Name', such as * for every file: it passes them over.";
const LONGEST_NAME = 255;
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/**
 * The files of one item that a selection means: a field's name, a comma list, patterns with `*`, a
 * file that an expression gives, or a list of any of these. A name must be there; a pattern may
 * match nothing.
 * @throws UserError naming the fields that the item has, or how to give a file
 */
export async function selectFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	selection: unknown,
	filter: FileFilter,
): Promise<{ files: InputFile[]; skipped: SkippedFile[] }> {
	const available = filesOf(context, context.getInputData()[itemIndex]);
	const entries = listOf(selection).flatMap(
		(entry): Array<string | object> => (isGiven(entry) ? [entry] : namesIn(context, entry)),
	);
	if (entries.length === 0) {
		throw new UserError("'Input Data Field Name' is empty", { description: howToGive(context) });
	}
	const hasFiles = Object.keys(available).length > 0 && !entries.some(isGiven);
	if (isTool(context) && !hasFiles) {
		throw new UserError('The item has no files: an agent cannot hand files to a tool', {
			description:
				'Upload the files before the agent runs, with Document › Upload, and let the agent work with the IDs of the documents.',
		});
	}
	const chosen = new Map<string, IBinaryData>();
	for (const entry of entries) {
		const more = isGiven(entry)
			? { [freeField(chosen, available)]: givenFile(context, entry) }
			: filesNamed(context, itemIndex, available, entry);
		for (const [field, binary] of Object.entries(more)) chosen.set(field, binary);
	}
	const files: InputFile[] = [];
	const skipped: SkippedFile[] = [];
	for (const [field, binary] of chosen) {
		const file: InputFile = {
			itemIndex,
			field,
			name: fileName(binary, field),
			mimeType: mimeTypeOf(binary),
			size: await sizeOf(context, binary),
			binary,
			isOfOneAmongMany: hasManyItems(context),
		};
		const reason = reasonToSkip(file, filter);
		if (reason) skipped.push({ file, reason });
		else files.push(file);
	}
	return { files, skipped };
}

/** What was selected, one by one. A gap in a list of files is no file, and not silently left out. */
function listOf(selection: unknown): unknown[] {
	if (!Array.isArray(selection)) return [selection];
	return selection.some(isGiven) ? selection.map((entry) => entry ?? {}) : selection;
}

/** Whether an expression gave a file itself. */
function isGiven(entry: unknown): entry is object {
	return typeof entry === 'object' && entry !== null;
}

/** As n8n's editor names a file that it keeps inside the JSON. */
const PATH_IN_JSON = /^_files\./;

function namesIn(context: IExecuteFunctions, entry: unknown): string[] {
	const text = String(entry ?? '');
	assertNoFileInText(context, text);
	return text
		.split(',')
		.map((name) => name.trim().replace(PATH_IN_JSON, ''))
		.filter(Boolean);
}

/** A field's name that no other file of the item has: where the file came from, it may have been in any. */
function freeField(chosen: Map<string, IBinaryData>, available: IBinaryKeyData): string {
	for (let number = 0; ; number++) {
		const field = number === 0 ? 'data' : `data_${number}`;
		if (!chosen.has(field) && !(field in available)) return field;
	}
}

/** The files of an item whose fields a name or pattern means. */
function filesNamed(
	context: IExecuteFunctions,
	itemIndex: number,
	available: IBinaryKeyData,
	name: string,
): IBinaryKeyData {
	if (name.includes('*')) {
		return Object.fromEntries(Object.entries(available).filter(([field]) => matches(field, name)));
	}
	if (Object.hasOwn(available, name)) return { [name]: available[name] };
	if (Object.keys(available).length > 0) {
		throw new UserError(`There is no file in '${name}', which 'Input Data Field Name' names`, {
			description: `The item has files in: ${Object.keys(available).join(', ')}. To take several, enter their names separated by commas, or a pattern such as attachment_*, or * for all.`,
		});
	}
	// n8n's own check explains well, and knows paths to files inside the JSON.
	try {
		const found = context.helpers.assertBinaryData(itemIndex, name);
		return { [name]: givenFile(context, found) };
	} catch (error) {
		throw hasManyItems(context) ? withNote(error as Error, HOW_TO_PASS_OVER) : error;
	}
}

/** Whether a name fits a pattern with `*`, in time that grows with both lengths and no more. */
function matches(name: string, pattern: string): boolean {
	const [start, ...rest] = pattern.split('*');
	const end = rest.pop() ?? '';
	if (!name.startsWith(start) || name.length < start.length + end.length) return false;
	if (!name.endsWith(end)) return false;
	const middle = name.slice(start.length, name.length - end.length);
	let from = 0;
	return rest.every((part) => {
		const index = middle.indexOf(part, from);
		from = index + part.length;
		return index >= 0;
	});
}

/** Without parameters such as a character set, which storage does not sign. */
function mimeTypeOf({ mimeType }: IBinaryData): string {
	const type = (mimeType ?? '').split(';')[0].trim();
	return MIME_TYPE.test(type) ? type : 'application/octet-stream';
}

function fileName(binary: IBinaryData, field: string): string {
	const extended = binary.fileExtension ? `${field}.${binary.fileExtension}` : field;
	const name =
		[binary.fileName ?? '', extended].map(baseName).find((text) => !/^\.*$/.test(text)) ?? 'file';
	if (name.length <= LONGEST_NAME) return name;
	const extension = /\.\w{1,10}$/.exec(name)?.[0] ?? '';
	return `${[...name].slice(0, LONGEST_NAME / 2).join('')}${extension}`;
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
	{ mimeType, size }: InputFile,
	{ mimeTypes = '', minFileSizeMb = 0, maxFileSizeMb = 0 }: FileFilter,
): string | undefined {
	const wanted = mimeTypes
		.split(',')
		.map((type) => type.trim().toLowerCase())
		.filter(Boolean);
	const type = mimeType.toLowerCase();
	const isWanted = wanted.some((mime) =>
		mime.endsWith('/*') ? type.startsWith(mime.slice(0, -1)) : mime === type,
	);
	const isAnyWanted = wanted.length === 0 || wanted.some((mime) => /^\*(\/\*)?$/.test(mime));
	if (!isAnyWanted && !isWanted) return `its type is ${mimeType}`;
	if (size === 0) return 'it is empty';
	const sizeMb = size / 1_000_000;
	if (minFileSizeMb && sizeMb < minFileSizeMb) return `it is smaller than ${minFileSizeMb} MB`;
	if (maxFileSizeMb && sizeMb > maxFileSizeMb) return `it is larger than ${maxFileSizeMb} MB`;
	return undefined;
}

/** In bytes. A file that fits into one chunk of a stream would be held whole by the stream, too, beside memory for more. */
const LARGEST_AT_ONCE = 64 * 1024;

/** The bytes of a file for a request: large ones are never held whole unless n8n does. */
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
	// n8n insists on both, though it finds the bytes by the `id`.
	const described = { ...binary, data: '', mimeType };
	const bytes = await context.helpers.getBinaryDataBuffer(itemIndex, described);
	return { ...about, writeTo: (target, offset) => bytes.copy(target, offset) };
}
