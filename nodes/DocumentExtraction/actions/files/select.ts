/** Selecting the files to upload: the fields for it, and the files that they select. */
import { UserError } from 'n8n-workflow';
import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
} from 'n8n-workflow';

import { fieldsOf } from '../../account/fields';
import { isTool } from '../../service/client';
import { fewOf, nameInMessage, redact, sentences } from '../../http/redact';
import { fieldValue, idsFrom, OBJECT_AS_TEXT, optionOf } from '../parameters';
import {
	filesOf,
	givenName,
	inputFile,
	keepsFilesInJson,
	storedFile,
	type InputFile,
} from './content';

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
function isGiven(entry: unknown): entry is object {
	return typeof entry === 'object' && entry !== null;
}

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

/** A type, or a pattern that fits types, such as image/* or image*: no extension. */
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
