/** The files of an item: the fields that select them, and each file as n8n keeps it, with its bytes. */
import { UserError } from 'n8n-workflow';
import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	IWorkflowDataProxyData,
} from 'n8n-workflow';

import { fieldsOf, isOuter } from '../../account/fields';
import { CallError } from '../../service/callError';
import { isTool, runOf } from '../../service/client';
import { baseName, fewOf, nameInMessage, redact, sentences, shortName } from '../../http/redact';
import { settled } from '../../http/concurrency';
import { chunksOf, streamFrom, type FileContent } from '../../http/transfer';
import { fieldValue, idsFrom, OBJECT_AS_TEXT, optionOf } from '../parameters';

const FIELD_LABEL = 'Input Data Field Name';
const FIELD = `'${FIELD_LABEL}'`;

export const inputDataFieldName: INodeProperties = {
	displayName: FIELD_LABEL,
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	placeholder: 'e.g. attachment_*',
	hint: 'A name, names separated by commas, or a pattern: attachment_* takes all attachments, * every file',
	description:
		"The input item's fields that contain the files. Each file becomes a document. For a file of an earlier node, enter an expression that gives the file, or a list of files, e.g. <code>{{ $('Node').item.binary.data }}</code>.",
	builderHint: {
		propertyHint:
			"Names of binary fields: 'data' after most nodes, 'attachment_*' after email triggers, '*' for every file, whatever its field is called. Use an expression only for a file that the input item does not carry. It must return the file object of an earlier node's item, with no text before or after it.",
	},
};

const mimeTypes: INodeProperties = {
	displayName: 'MIME Types',
	name: 'mimeTypes',
	type: 'string',
	default: '',
	placeholder: 'e.g. application/pdf, image/*',
	description: 'Only files of these types are uploaded. The others are skipped, with a hint.',
};

/** The options that leave out files. */
export const fileFilters: INodeProperties[] = [
	{
		displayName: 'Max File Size (MB)',
		name: 'maxFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'Larger files are skipped, with a hint. 0 means no limit.',
	},
	mimeTypes,
	{
		displayName: 'Min File Size (MB)',
		name: 'minFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Smaller files are skipped, with a hint. To skip logos in emails, use MIME Types, or enter a value below the size of your smallest document.',
	},
];

/** A file for messages: its name, and the item that it is in. */
type NamedFile = Pick<InputFile, 'name' | 'itemIndex' | 'itemCount'>;

/** A file that was left out, and why. */
export interface SkippedFile {
	file: NamedFile;
	reason: string;
}

/** A file for a message: its name, and its item if the run has several. */
export function describedFile({ name, itemIndex, itemCount }: NamedFile): string {
	return itemCount > 1 ? `${name} (${itemLabel([itemIndex], itemCount)})` : name;
}

/**
 * Items for a message. They are counted from 1, as in the editor's input panel; the total tells that from
 * the `[item 0]` that n8n adds to messages.
 */
export function itemLabel(itemIndexes: number[], itemCount: number): string {
	const numbers = itemIndexes.map((index) => String(index + 1));
	return `item${numbers.length > 1 ? 's' : ''} ${fewOf(numbers)} of ${itemCount}`;
}

/**
 * The files of one item that a selection names: by a field, a comma-separated list, patterns with
 * `*`, a file that an expression gives, or a list of any of these. A field that is named must hold a
 * file; a pattern may match nothing. A file that is in no field of these counts as skipped, beside one
 * that is taken: it may hold documents, as a winmail.dat does.
 * @throws UserError naming the fields that the item has, or how to give a file
 */
export async function selectFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	options: IDataObject,
): Promise<{ files: InputFile[]; skipped: SkippedFile[] }> {
	const items = context.getInputData();
	const available = filesOf(context, items[itemIndex]);
	const selection: unknown = context.getNodeParameter(inputDataFieldName.name, itemIndex);
	const list = Array.isArray(selection) ? (selection as unknown[]) : [selection];
	// An empty entry among files is kept, so that it is reported; among names it is none.
	const given = list.some(isGiven) ? list.map((entry) => entry ?? {}) : list;
	const entries = given.flatMap(
		(entry): Array<string | object> => (isGiven(entry) ? [entry] : namesIn(context, entry)),
	);
	if (entries.length === 0) {
		throw new UserError(`${FIELD} is empty, or its expression gives nothing`, {
			description: howToGive(context),
		});
	}
	const hasFiles = Object.keys(available).length > 0 && !entries.some(isGiven);
	if (isTool(context) && !hasFiles) {
		throw new UserError('An agent cannot hand files to a tool', {
			description:
				'Upload the files before the agent runs, with Document › Upload, and let the agent work with the IDs of the documents.',
		});
	}
	const chosen = new Map<string, IBinaryData>();
	for (const entry of entries) {
		const more = isGiven(entry)
			? { [freeField(chosen, available)]: givenFile(context, entry) }
			: filesNamed(context, available, entry);
		for (const [field, binary] of Object.entries(more)) chosen.set(field, binary);
	}
	const types = fieldValue(
		context,
		itemIndex,
		optionOf(mimeTypes),
		typesFrom,
		'files of all types',
	);
	const files: InputFile[] = [];
	const skipped: SkippedFile[] = [];
	for (const [field, binary] of chosen) {
		const file = await inputFile(context, itemIndex, field, binary);
		const reason = file.error ? undefined : reasonToSkip(file, types, options);
		if (reason) skipped.push({ file, reason });
		else files.push(file);
	}
	if (files.length === 0 || entries.some(isGiven)) return { files, skipped };
	for (const [field, binary] of Object.entries(available)) {
		if (chosen.has(field)) continue;
		const file = { name: givenName(binary, field), itemIndex, itemCount: items.length };
		skipped.push({ file, reason: `its field, ${nameInMessage(field)}, is not in ${FIELD}` });
	}
	return { files, skipped };
}

/** Whether an expression gave a file itself. */
const isGiven = isOuter;

/** n8n's editor puts this before the name of a file that is kept inside the JSON. */
const PATH_IN_JSON = /^_files\./;

function namesIn(context: IExecuteFunctions, entry: unknown): string[] {
	if (String(entry ?? '').includes(OBJECT_AS_TEXT)) {
		throw noFile(context, 'There is a space or text around the expression {{ … }}.');
	}
	return idsFrom(entry, FIELD_LABEL).map((name) => name.replace(PATH_IN_JSON, ''));
}

/** A name for the binary field of a file that an expression gave: one that the item does not use yet. */
function freeField(chosen: Map<string, IBinaryData>, available: IBinaryKeyData): string {
	for (let number = 0; ; number++) {
		const field = number === 0 ? 'data' : `data_${number}`;
		if (!chosen.has(field) && !(field in available)) return field;
	}
}

/** The files of an item in the fields that a name or pattern selects. */
function filesNamed(
	context: IExecuteFunctions,
	available: IBinaryKeyData,
	name: string,
): IBinaryKeyData {
	if (name.includes('*')) {
		return Object.fromEntries(Object.entries(available).filter(([field]) => matches(field, name)));
	}
	if (Object.hasOwn(available, name)) return { [name]: available[name] };
	const fields = Object.keys(available).join(', ');
	throw new UserError(
		`${FIELD} says '${nameInMessage(redact(name))}', but this item has no file there`,
		{
			description: sentences(
				fields
					? `The item has files in: ${fields}.`
					: 'The item has no files. Set the node before this one to download them, or connect the node that has them directly to this one.',
				howToGive(context),
			),
		},
	);
}

/** Whether a text fits a pattern with `*`. No regular expression, whose time could grow exponentially. */
function matches(text: string, pattern: string): boolean {
	const [start, ...parts] = pattern.split('*');
	const end = parts.pop();
	if (end === undefined) return text === pattern;
	if (!text.startsWith(start)) return false;
	let from = start.length;
	for (const part of parts) {
		const index = text.indexOf(part, from);
		if (index < 0) return false;
		from = index + part.length;
	}
	return text.endsWith(end) && text.length - end.length >= from;
}

const MIME_PATTERN = /^(?:[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+|[a-z]*\*|\*[a-z]+)$/;

/**
 * Types in lower case, without parameters such as `; charset=binary`.
 * @throws UserError for a type that no file would fit
 */
function typesFrom(value: unknown, label: string): string[] {
	const types = idsFrom(value, label).map((type) => type.split(';')[0].trim().toLowerCase());
	const wrong = types.find((type) => !MIME_PATTERN.test(type));
	if (wrong === undefined) return types;
	throw new UserError(
		`'${label}' has '${nameInMessage(redact(wrong))}', which is not a MIME type`,
		{
			description: 'Enter types such as application/pdf or image/*, separated by commas.',
		},
	);
}

function reasonToSkip(
	{ mimeType, size }: InputFile,
	types: string[],
	{ minFileSizeMb, maxFileSizeMb }: IDataObject,
): string | undefined {
	const isWanted = types.some((pattern) => matches(mimeType, pattern));
	if (types.length > 0 && !isWanted) return `its type is ${mimeType}, not one of 'MIME Types'`;
	const sizeMb = size / 1_000_000;
	if (sizeMb < Number(minFileSizeMb ?? 0)) return `it is smaller than ${minFileSizeMb} MB`;
	if (sizeMb > (Number(maxFileSizeMb ?? 0) || Infinity))
		return `it is larger than ${maxFileSizeMb} MB`;
	return undefined;
}

/**
 * The file that an expression gives: with its content, or the ID of a stored one that came to the node
 * in this execution. No other ID is trusted: it could be that of another workflow's file.
 * @param value what the expression gives, or an entry of its list
 * @throws UserError for anything else
 */
function givenFile(context: IExecuteFunctions, value: object): IBinaryData {
	const file = value as IBinaryData;
	if (typeof file.id === 'string' && file.id) {
		const stored = storedFile(context, file.id);
		if (stored) return { ...stored, ...file };
		throw new UserError(`The file from ${FIELD} does not come from a node before this one`, {
			description: `Connect the node that has the file, so that it runs before this one. ${howToGive(context)}`,
		});
	}
	if (file.data && (typeof file.data === 'string' || 'mimeType' in file)) {
		return { ...file, id: undefined };
	}
	const has = `What it gives has these fields: ${fieldsOf(value)}.`;
	throw noFile(context, `${has} $binary and $node may give a file without its content.`);
}

function noFile(context: IExecuteFunctions, why: string): UserError {
	return new UserError(`${FIELD} does not give a file with its content`, {
		description: `${why} ${howToGive(context)}`,
	});
}

function howToGive(context: IExecuteFunctions): string {
	const expression = keepsFilesInJson(context)
		? "{{ $('Node').item._files.data }}, or {{ $items('Node')[$itemIndex].binary.data }} if that gives nothing"
		: "{{ $('Node').item.binary.data }}";
	return sentences(
		'For a file of the input item, enter the name of its field alone, or a pattern:',
		'attachment_* takes all attachments, * every file. A pattern skips items without files.',
		`For a file of an earlier node, enter ${expression}, with the names of your node and field.`,
	);
}

/** The field of the JSON that holds files if the workflow's setting 'binaryMode' is 'combined' (n8n-workflow). */
const FILES_IN_JSON = '_files';

/** Whether n8n may keep files inside the JSON of items. */
export function keepsFilesInJson(context: IExecuteFunctions): boolean {
	// Older versions of n8n lack the method.
	return context.getWorkflowSettings?.().binaryMode === 'combined';
}

/** The files of an item, by the names of their fields. */
function filesOf(context: IExecuteFunctions, { json, binary }: INodeExecutionData): IBinaryKeyData {
	// In other workflows the field is ordinary JSON, whose IDs are not to be trusted.
	const inJson = keepsFilesInJson(context) ? json[FILES_IN_JSON] : undefined;
	return { ...(inJson as IBinaryKeyData | undefined), ...binary };
}

/**
 * A file of n8n's storage that came to the node in this execution: with its input, or as the output
 * of a node before it. Undefined for the ID of any other file.
 */
function storedFile(context: IExecuteFunctions, id: string): IBinaryData | undefined {
	const run = runOf(context);
	if (!run.storedFiles) {
		const data = context.getWorkflowDataProxy(0);
		const before = context.getParentNodes(context.getNode().name);
		const items = [context.getInputData(), ...before.flatMap(({ name }) => outputsOf(data, name))];
		const files = items.flat().flatMap((item) => Object.values(filesOf(context, item)));
		run.storedFiles = new Map(files.flatMap((file) => (file?.id ? [[file.id, file]] : [])));
	}
	return run.storedFiles.get(id);
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
async function inputFile(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	value: unknown,
): Promise<InputFile> {
	const binary = (isOuter(value) ? value : {}) as IBinaryData;
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
function givenName({ fileName }: IBinaryData, field: string): string {
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

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/** The types of documents, by the extensions of their names; of a type, the usual one first. */
const TYPES = new Map([
	['pdf', 'application/pdf'],
	['jpg', 'image/jpeg'],
	['jpeg', 'image/jpeg'],
	['png', 'image/png'],
	['tif', 'image/tiff'],
	['tiff', 'image/tiff'],
	['webp', 'image/webp'],
	['heic', 'image/heic'],
	['heif', 'image/heic'],
	['docx', `${OFFICE}.wordprocessingml.document`],
	['xlsx', `${OFFICE}.spreadsheetml.sheet`],
	['doc', 'application/msword'],
	['xls', 'application/vnd.ms-excel'],
	['csv', 'text/csv'],
	['txt', 'text/plain'],
]);

/** What senders call a type besides its registered name. */
const OTHER_NAMES = new Map([
	['application/x-pdf', 'application/pdf'],
	['application/acrobat', 'application/pdf'],
	['image/jpg', 'image/jpeg'],
	['image/pjpeg', 'image/jpeg'],
	['image/tif', 'image/tiff'],
	['image/x-png', 'image/png'],
	['image/x-tiff', 'image/tiff'],
]);

/** How files of a type begin, in Latin-1. */
const BEGINNINGS = new Map([
	['application/pdf', /^\s*%PDF-/],
	['image/jpeg', /^\xff\xd8\xff/],
	['image/png', /^\x89PNG/],
	['image/tiff', /^(?:II\*\0|MM\0\*)/],
]);
/** So many bytes tell the type of a file, and so much Base64 holds them, line breaks included. */
const TELLING_BYTES = 100;
const MOST_TELLING = 1000;

const EXTENSION = /\.(\w{1,10})$/;
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const SAYS_NOTHING = /octet|download|unknown|^binary\/|\/binary$/;

/** The type that a name's extension stands for. */
function typeNamed(name: string): string | undefined {
	return TYPES.get(EXTENSION.exec(name)?.[1].toLowerCase() ?? '');
}

/**
 * The type of a file: the one that came with it, without parameters, which signed URLs do not cover. If
 * that says nothing, the name's extension decides, or else the first bytes. They also tell plain text from
 * what n8n only calls so, because it does not know its type.
 */
async function typeOf(mimeType: string, name: string, open: FileContent['open']): Promise<string> {
	const type = mimeType.split(';')[0].trim().toLowerCase();
	const given = OTHER_NAMES.get(type) ?? type;
	const named = typeNamed(name);
	const isUnknown = !MIME_TYPE.test(given) || SAYS_NOTHING.test(given);
	if (isUnknown && named) return named;
	if (!isUnknown && (given !== 'text/plain' || named?.startsWith('text/'))) return given;
	let begin = '';
	for await (const chunk of (await open()) as AsyncIterable<Buffer>) {
		begin = chunk.subarray(0, TELLING_BYTES).toString('latin1');
		// Leaving the loop destroys the stream, and so closes the file.
		break;
	}
	const begun = [...BEGINNINGS].find(([, begins]) => begins.test(begin))?.[0];
	return begun ?? (isUnknown ? 'application/octet-stream' : given);
}

/**
 * A name that ends with an extension, as services may tell files by it. What stands after a dot may belong
 * to the name, as in `Acme.com` or `Invoice No.A12`; only texts have many extensions.
 */
function withExtension(name: string, mimeType: string): string {
	const usual = [...TYPES].find(([, type]) => type === mimeType)?.[0];
	const isText = mimeType.startsWith('text/') && EXTENSION.test(name);
	return usual === undefined || isText || typeNamed(name) ? name : `${name}.${usual}`;
}
