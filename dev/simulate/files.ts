import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { sha256 } from '../../test/support/files.ts';
import { HANDLINGS, itemOf, type InputFile, type Operation } from './execution.ts';
import { deeds, type Outcome } from './model.ts';
import type { Randomness } from './randomness.ts';
import { fileWithValue, newValue } from './textFiles.ts';
import { LONG_FILE_BYTES, type Weather } from './weather.ts';
import { wordOfFailedItem, wordOfStoppedRun, type Word } from './words.ts';

/** One name begins with the other, and goes on with a word that the node uses itself. */
const FIELDS = ['invoice', 'invoice URL'];
const METHODS = ['direct', 'signed', 'automatic'];
/** From this size on, in bytes, Automatic uploads by signed URL. */
const LARGE = 4_000;
const BLANK_ONE_IN = 8;
/** One file in so many is known, so that it is not to be sent. */
const KNOWN_ONE_IN = 10;
/** A run that stops at its first failure would else never upload. */
const UNREADABLE_ONE_IN = 40;
/** With two files each: enough for all places at the same time. */
const MOST_ITEMS = 6;
const MOST_ITEMS_OF_SLOW_UPLOADS = 20;
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

interface NewFile extends InputFile {
	/** What is left of its name. */
	name: string;
	/** A value that is extracted from this file and no other; empty where there is nothing to extract. */
	value: string;
	isSigned: boolean;
}

/** What became of one file. */
export interface FileOutcome {
	file: NewFile;
	done: INodeExecutionData[];
	failed: INodeExecutionData[];
	/** The document that the node names for it. */
	documentId?: string;
}

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

/** Of items with one or two files each; seldom many, as each document is waited for with dozens of looks. */
function newFiles(random: Randomness, weather: Weather, method: string, mayBeBlank: boolean) {
	const { hasSlowUploads, longFileOneIn, name } = weather;
	const most = hasSlowUploads ? MOST_ITEMS_OF_SLOW_UPLOADS : MOST_ITEMS;
	const count = random.pick([1, 2, random.between(1, most)]);
	const items = Array.from({ length: count }, () => random.between(1, 2));
	return items.flatMap((files, itemIndex) =>
		FIELDS.slice(0, files).map((field): NewFile => {
			const isLong = random.between(1, longFileOneIn) === 1;
			const padding = isLong ? LONG_FILE_BYTES : random.between(0, 2 * LARGE);
			const file = fileWithValue(newValue(random), padding);
			const isBlank = mayBeBlank && random.between(1, BLANK_ONE_IN) === 1;
			const givenName = nameOf(random, file.name);
			return {
				...file,
				// As long as any other, but nothing can be read from it.
				...(isBlank && { value: '', content: '.'.repeat(file.content.length) }),
				givenName,
				name: cut(givenName),
				mimeType: random.pick(TYPES),
				isUnreadable: name === 'storm' && random.between(1, UNREADABLE_ONE_IN) === 1,
				itemIndex,
				field,
				isSigned: method === 'signed' || (method === 'automatic' && file.content.length >= LARGE),
			};
		}),
	);
}

/**
 * Runs an operation that uploads files, and claims what the node says of each.
 * @param mayBeBlank whether there is nothing to extract in some of them
 */
export async function runOnFiles(
	operation: Operation,
	{ options, ...parameters }: INodeParameters & { options?: INodeParameters },
	mayBeBlank = true,
): Promise<FileOutcome[]> {
	const { random, round } = operation;
	const uploadMethod = random.pick(METHODS);
	const files = newFiles(random, round.options.weather, uploadMethod, mayBeBlank);
	const isKnown = () => mayBeBlank && random.between(1, KNOWN_ONE_IN) === 1;
	const known = files.filter(isKnown).map(({ content }) => sha256(content));
	const outcome = await operation.run(
		{
			...parameters,
			binaryPropertyName: '*',
			options: {
				...options,
				uploadMethod,
				signedFromMb: LARGE / 1_000_000,
				skipHashes: `={{ ${JSON.stringify(known)} }}`,
				mimeTypes: 'text/*',
			},
		},
		{
			files,
			onError: random.pick(HANDLINGS),
			maxTries: random.pick([1, 3]),
		},
	);
	return files.map((file) => outcomeOf(operation, file, outcome));
}

/** Claims what is said of a file. */
function outcomeOf(operation: Operation, file: NewFile, outcome: Outcome): FileOutcome {
	const { name, content, isSigned } = file;
	const { claim, documentId, said, done = [], failed = [] } = wordOf(operation, file, outcome);
	operation.claim(deeds.upload(name, sha256(content)), claim, said);
	if (!documentId) return { file, done, failed };
	operation.round.claims.addDocument(documentId, name, operation.number);
	if (isSigned) operation.claim(deeds.confirm(documentId), claim, said);
	return { file, done, failed, documentId };
}

type Said = Word & Partial<FileOutcome> & { said: string };

function wordOf(operation: Operation, file: NewFile, outcome: Outcome): Said {
	const { name, itemIndex, field, isSigned, isUnreadable } = file;
	if (outcome.isCanceled) {
		operation.round.claims.addStopped(name);
		return { claim: 'perhaps', said: 'Stop was pressed' };
	}
	const { stopped: said } = outcome;
	if (said !== undefined) return { ...wordOfStoppedRun(said, file), said };
	const done = outcome.done.filter(
		({ json: { file: about, fileName } }) =>
			(about ? (about as { name: string }).name : fileName) === name,
	);
	const failed = outcome.failed.filter(
		({ binary, pairedItem }) => itemOf(pairedItem) === itemIndex && binary?.[field] !== undefined,
	);
	const outcomes = (done.length > 0 ? 1 : 0) + failed.length;
	if (outcomes === 0) operation.note('lost', `${name} is in no output`);
	if (outcomes > 1) operation.note('doubled', `${name} is in the outputs ${outcomes} times`);
	if (done.length === 0) {
		const message = String(failed[0]?.json.message);
		return { ...wordOfFailedItem(message, isSigned), said: message, failed };
	}
	if (isUnreadable) operation.note('lost', `${name} was sent, but nobody can read it`);
	const { response, documentId, skipped } = done[0].json as {
		response?: { success?: boolean };
		skipped?: boolean;
		documentId?: string;
	};
	const claim = skipped || response?.success === false ? 'not done' : 'done';
	return { claim, documentId, said: '', done, failed };
}
