import type { INodeExecutionData } from 'n8n-workflow';
import { binaryItem, readBinary } from '../../test/support/binary.ts';
import { sha256 } from '../../test/support/files.ts';
import { deeds, type Claim } from './deeds.ts';
import type { Randomness } from './randomness.ts';
import { wordOfFailedItem, wordOfStoppedRun } from './words.ts';
import { itemOf, type Handling, type Outcome, type Round } from './round.ts';

const METHODS = ['direct', 'signed', 'automatic'];
const HANDLINGS: Handling[] = ['continueErrorOutput', 'continueRegularOutput', 'stopWorkflow'];
/** From this size on, in bytes, Automatic uploads by signed URL. */
const LARGE = 40_000;
/** One in so many files is much longer, in bytes, than what fits into the buffers of a connection. */
const LONG = { oneIn: 60, bytes: 30_000_000 };

export interface SoakFile {
	itemIndex: number;
	field: string;
	name: string;
	content: string;
	/** A value that is extracted from this file and no other. */
	value: string;
	isSigned: boolean;
}

/** What became of one file. */
export interface FileOutcome {
	file: SoakFile;
	done: INodeExecutionData[];
	/** The document that the node names for it. */
	documentId?: string;
}

/** Items with one or two new files each. */
function newFiles(random: Randomness, method: string): SoakFile[] {
	const items = Array.from({ length: random.between(1, 6) }, () => random.between(1, 2));
	return items.flatMap((count, itemIndex) =>
		Array.from({ length: count }, (_, number): SoakFile => {
			const value = `N${random.between(0, 2 ** 31)}N${random.between(0, 2 ** 31)}`;
			const isLong = random.between(1, LONG.oneIn) === 1;
			const padding = isLong ? LONG.bytes : random.between(0, 2 * LARGE);
			const content = `Supplier: ${value}\n${'.'.repeat(padding)}`;
			return {
				itemIndex,
				field: `attachment_${number}`,
				name: `${value}.txt`,
				content,
				value,
				isSigned: method === 'signed' || (method === 'automatic' && content.length >= LARGE),
			};
		}),
	);
}

async function asItems(files: SoakFile[], round: Round): Promise<INodeExecutionData[]> {
	const itemCount = Math.max(...files.map(({ itemIndex }) => itemIndex)) + 1;
	return await Promise.all(
		Array.from({ length: itemCount }, async (_, itemIndex) => {
			const own = files.filter((file) => file.itemIndex === itemIndex);
			return await binaryItem({
				files: Object.fromEntries(
					own.map(({ name, field, content }) => [
						field,
						{ data: content, fileName: name, mimeType: 'text/plain' },
					]),
				),
				mode: round.mode,
			});
		}),
	);
}

/** Runs an operation that uploads files, and claims what the node says of each. */
export async function runOnFiles(
	round: Round,
	random: Randomness,
	operation: { resource: string; operation: string; simple?: boolean; options?: object },
): Promise<FileOutcome[]> {
	const uploadMethod = random.pick(METHODS);
	const files = newFiles(random, uploadMethod);
	const outcome = await round.runWithFiles(
		{
			...operation,
			binaryPropertyName: '*',
			uploadMethod,
			options: { ...operation.options, signedFromMb: LARGE / 1_000_000 },
		},
		random.pick(HANDLINGS),
		await asItems(files, round),
		random.pick([1, 3]),
	);
	await checkFiles(round, outcome.failed, files);
	return files.map((file) =>
		outcome.stopped === undefined
			? ofContinued(round, file, outcome)
			: ofStopped(round, file, outcome.stopped),
	);
}

/** Each failed item must come with the bytes of the files that failed, and no others. */
async function checkFiles(round: Round, failed: INodeExecutionData[], files: SoakFile[]) {
	for (const item of failed) {
		const fields = Object.keys(item.binary ?? {});
		const own = files.filter(
			({ field, itemIndex }) => fields.includes(field) && itemIndex === itemOf(item.pairedItem),
		);
		const contents = await Promise.all(
			own.map(async ({ field }) => (await readBinary(item, field)).toString()),
		);
		const isWhole = own.every(({ content }, index) => content === contents[index]);
		if (own.length === 0 || own.length !== fields.length || !isWhole) {
			round.note('fileless', item.json);
		}
	}
}

function ofContinued(round: Round, file: SoakFile, outcome: Outcome): FileOutcome {
	const done = outcome.done.filter(
		({ json }) => (json.file as { name?: string } | undefined)?.name === file.name,
	);
	const failed = outcome.failed.filter(
		({ binary, pairedItem }) =>
			itemOf(pairedItem) === file.itemIndex && binary?.[file.field] !== undefined,
	);
	const outcomes = (done.length > 0 ? 1 : 0) + failed.length;
	if (outcomes === 0) round.note('lost', `${file.name} is in no output`);
	if (outcomes > 1) round.note('doubled', `${file.name} is in the outputs ${outcomes} times`);

	if (done.length > 0) {
		const documentId = done[0].json.documentId as string | null;
		return { file, done, documentId: claimUpload(round, file, 'done', documentId, '') };
	}
	const message = String(failed[0]?.json.message);
	const { claim, documentId } = wordOfFailedItem(message, file.isSigned);
	return { file, done, documentId: claimUpload(round, file, claim, documentId, message) };
}

function ofStopped(round: Round, file: SoakFile, said: string): FileOutcome {
	const { claim, documentId } = wordOfStoppedRun(said, file);
	return { file, done: [], documentId: claimUpload(round, file, claim, documentId, said) };
}

/** Gives back the document that the node names, if it does. */
function claimUpload(
	round: Round,
	{ name, content, isSigned }: SoakFile,
	claim: Claim,
	documentId: string | null | undefined,
	said: string,
): string | undefined {
	round.claim(deeds.upload(name, sha256(content)), claim, said);
	if (!documentId) return undefined;
	round.claims.addDocument(documentId, name);
	if (isSigned) round.claim(deeds.confirm(documentId), claim, said);
	return documentId;
}
