import type { INodeExecutionData } from 'n8n-workflow';
import { binaryItem, deleteFile, readBinary, type BinaryMode } from '../../test/support/binary.ts';
import { sha256 } from '../../test/support/files.ts';
import { deeds, type Claim } from './deeds.ts';
import type { Randomness } from './randomness.ts';
import { fileWithValue, newValue } from './textFiles.ts';
import { wordOfFailedItem, wordOfStoppedRun } from './words.ts';
import { itemOf, type Handling, type Operation, type Outcome, type RoundOptions } from './round.ts';

/** One name begins with the other, and goes on with a word that the node uses itself. */
const FIELDS = ['invoice', 'invoice URL'];
const METHODS = ['direct', 'signed', 'automatic'];
const HANDLINGS: Handling[] = ['continueErrorOutput', 'continueRegularOutput', 'stopWorkflow'];
/** From this size on, in bytes, Automatic uploads by signed URL. */
const LARGE = 4_000;
const BLANK_ONE_IN = 8;

export interface NewFile {
	itemIndex: number;
	field: string;
	name: string;
	content: string;
	/** A value that is extracted from this file and no other; empty where there is nothing to extract. */
	value: string;
	isSigned: boolean;
	/** What it is called where it comes from; its name is what is left of that. */
	givenName: string;
	/** As its sender declares it: all are plain text. */
	mimeType: string;
	/** n8n has lost it, or a Code node has made it wrongly. */
	isUnreadable: boolean;
}

/** What became of one file. */
export interface FileOutcome {
	file: NewFile;
	done: INodeExecutionData[];
	failed: INodeExecutionData[];
	/** The document that the node names for it. */
	documentId?: string;
}

/** One in so many; a run that stops at its first failure would else never upload. */
const UNREADABLE_ONE_IN = 40;
/** Types that say nothing, as mail programs and servers send them, and one that is right. */
const TYPES = [
	'text/plain',
	'text/plain',
	'application/octet-stream',
	'Application/Octet-Stream; name=x',
	'binary/octet-stream',
	'application/x-download',
	'',
];
/** Of one to four bytes each. */
const LETTERS = ['x', 'ø', '請', '💼'];
/** In bytes of UTF-8: what file systems take. */
const LONGEST_NAME = 255;

/** A name; one in a few is about as long as names may be. */
function nameOf(random: Randomness, name: string): string {
	if (random.between(1, 4) > 1) return name;
	const letter = random.pick(LETTERS);
	const left = LONGEST_NAME - name.length + random.between(-8, 8);
	return name.replace('.', `${letter.repeat(left / Buffer.byteLength(letter))}.`);
}

/** What is left of a name: whole characters, its extension and 255 bytes at most. */
function cut(name: string): string {
	const extension = '.txt';
	let stem = name.slice(0, -extension.length);
	while (Buffer.byteLength(stem) > LONGEST_NAME - extension.length) {
		stem = [...stem].slice(0, -1).join('');
	}
	return stem + extension;
}

/** Its execution is deleted, or in memory: a Code node has put more before the content. */
async function makeUnreadable({ binary = {} }: INodeExecutionData, field: string) {
	const file = binary[field];
	if (file.id) await deleteFile(file.id);
	else file.data = `data:text/plain;base64,${file.data}`;
}

/** Items with one or two new files each. */
function newFiles(
	random: Randomness,
	method: string,
	{ mostItems, longFiles: long, fair }: RoundOptions,
	mayBeBlank: boolean,
): NewFile[] {
	// Seldom many: each document is waited for with dozens of looks.
	const count = random.pick([1, 2, random.between(1, mostItems)]);
	const items = Array.from({ length: count }, () => random.between(1, 2));
	return items.flatMap((files, itemIndex) =>
		Array.from({ length: files }, (_, number): NewFile => {
			const value = newValue(random);
			const isLong = random.between(1, long.oneIn) === 1;
			const file = fileWithValue(value, isLong ? long.bytes : random.between(0, 2 * LARGE));
			const isLarge = file.content.length >= LARGE;
			const isBlank = mayBeBlank && random.between(1, BLANK_ONE_IN) === 1;
			const givenName = nameOf(random, file.name);
			return {
				...file,
				// As long as any other, but nothing can be read from it.
				...(isBlank && { value: '', content: '.'.repeat(file.content.length) }),
				givenName,
				name: cut(givenName),
				mimeType: random.pick(TYPES),
				isUnreadable: !fair && random.between(1, UNREADABLE_ONE_IN) === 1,
				itemIndex,
				field: FIELDS[number],
				isSigned: method === 'signed' || (method === 'automatic' && isLarge),
			};
		}),
	);
}

async function asItems(files: NewFile[], mode: BinaryMode): Promise<INodeExecutionData[]> {
	const itemCount = Math.max(...files.map(({ itemIndex }) => itemIndex)) + 1;
	return await Promise.all(
		Array.from({ length: itemCount }, async (_, itemIndex) => {
			const own = files.filter((file) => file.itemIndex === itemIndex);
			const item = await binaryItem({
				files: Object.fromEntries(
					own.map(({ givenName, field, content, mimeType }) => [
						field,
						{ data: content, fileName: givenName, mimeType },
					]),
				),
				mode,
			});
			for (const { field } of own.filter(({ isUnreadable }) => isUnreadable)) {
				await makeUnreadable(item, field);
			}
			return item;
		}),
	);
}

/**
 * Runs an operation that uploads files, and claims what the node says of each.
 * @param mayBeBlank whether there is nothing to extract in some of them
 */
export async function runOnFiles(
	own: Operation,
	operation: { resource: string; operation: string; simple?: boolean; options?: object },
	mayBeBlank = true,
): Promise<FileOutcome[]> {
	const { random } = own;
	const uploadMethod = random.pick(METHODS);
	const executionMode = random.pick(['trigger', 'manual'] as const);
	const files = newFiles(random, uploadMethod, own.round.options, mayBeBlank);
	const outcome = await own.runWithFiles(
		{
			...operation,
			binaryPropertyName: '*',
			uploadMethod,
			options: { ...operation.options, signedFromMb: LARGE / 1_000_000, mimeTypes: 'text/*' },
		},
		random.pick(HANDLINGS),
		await asItems(files, own.round.options.mode),
		{ maxTries: random.pick([1, 3]), executionMode },
	);
	await checkFiles(own, outcome.failed, files);
	if (executionMode === 'manual') checkFirstWord(own, outcome.stopped);
	if (outcome.isCanceled) return files.map((file) => ofCanceled(own, file));
	return files.map((file) =>
		outcome.stopped === undefined
			? ofContinued(own, file, outcome)
			: ofStopped(own, file, outcome.stopped),
	);
}

/** Each failed item must come with the bytes of the files that failed, and no others. */
async function checkFiles(operation: Operation, failed: INodeExecutionData[], files: NewFile[]) {
	for (const item of failed) {
		const fields = Object.keys(item.binary ?? {});
		const ofItem = files.filter(
			({ field, itemIndex }) => fields.includes(field) && itemIndex === itemOf(item.pairedItem),
		);
		const readable = ofItem.filter(({ isUnreadable }) => !isUnreadable);
		const contents = await Promise.all(
			readable.map(async ({ field }) => (await readBinary(item, field)).toString()),
		);
		const isWhole = readable.every(({ content }, index) => content === contents[index]);
		if (ofItem.length === 0 || ofItem.length !== fields.length || !isWhole) {
			operation.note('fileless', item.json);
		}
	}
}

/** Who tries a flow in the editor clicks again at once, and must not upload twice. */
function checkFirstWord(operation: Operation, stopped = '') {
	const areSome = /(Already uploaded, do not|Uploaded, but still to be)/.test(stopped);
	const [beforeLists] = stopped.split('The file: ');
	const isAdvised = /files? (is|are) at the service already\. (Remove|Running)/.test(beforeLists);
	if (areSome !== isAdvised) operation.note('unexplained', stopped);
}

function ofContinued(operation: Operation, file: NewFile, outcome: Outcome): FileOutcome {
	const done = outcome.done.filter(
		({ json: { file: about, fileName } }) =>
			(about ? (about as { name: string }).name : fileName) === file.name,
	);
	const failed = outcome.failed.filter(
		({ binary, pairedItem }) =>
			itemOf(pairedItem) === file.itemIndex && binary?.[file.field] !== undefined,
	);
	const outcomes = (done.length > 0 ? 1 : 0) + failed.length;
	if (outcomes === 0) operation.note('lost', `${file.name} is in no output`);
	if (outcomes > 1) operation.note('doubled', `${file.name} is in the outputs ${outcomes} times`);

	if (done.length > 0) {
		const documentId = done[0].json.documentId as string | null;
		if (file.isUnreadable) operation.note('lost', `${file.name} was sent, but nobody can read it`);
		const { response } = done[0].json as { response?: { success?: boolean } };
		const claim = response?.success === false ? 'not done' : 'done';
		return { file, done, failed, documentId: claimUpload(operation, file, claim, documentId, '') };
	}
	const message = String(failed[0]?.json.message);
	const { claim, documentId } = wordOfFailedItem(message, file.isSigned);
	return {
		file,
		done,
		failed,
		documentId: claimUpload(operation, file, claim, documentId, message),
	};
}

function ofStopped(operation: Operation, file: NewFile, said: string): FileOutcome {
	const { claim, documentId } = wordOfStoppedRun(said, file);
	return {
		file,
		done: [],
		failed: [],
		documentId: claimUpload(operation, file, claim, documentId, said),
	};
}

/** Nobody is told how far the run was when Stop was pressed. */
function ofCanceled(operation: Operation, file: NewFile): FileOutcome {
	claimUpload(operation, file, 'perhaps', undefined, 'Stop was pressed');
	operation.round.claims.cancel(file.name);
	return { file, done: [], failed: [] };
}

/** Gives back the document that the node names, if it does. */
function claimUpload(
	operation: Operation,
	{ name, content, isSigned }: NewFile,
	claim: Claim,
	documentId: string | null | undefined,
	said: string,
): string | undefined {
	operation.claim(deeds.upload(name, sha256(content)), claim, said);
	if (!documentId) return undefined;
	operation.claimDocument(documentId, name);
	if (isSigned) operation.claim(deeds.confirm(documentId), claim, said);
	return documentId;
}
