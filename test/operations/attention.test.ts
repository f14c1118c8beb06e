import type { INodeParameters } from 'n8n-workflow';
import { BINARY_MODES, binaryItem, readBinary } from '../support/binary';
import { sample, sha256, textFile } from '../support/files';
import { logOf } from '../support/log';
import { useService } from '../support/useService';

const EXTRACT = { resource: 'extraction', operation: 'extractFromFiles' };
const INVOICE = sample('invoice-harbour-supplies.pdf');
const ORDER = sample('purchase-order-larkfield.pdf');
const HASH = sha256(INVOICE.data);

const used = useService({ profile: 'atlas', extractionMs: 30, startMs: 10 });

const bothFiles = async (mode: (typeof BINARY_MODES)[number] = 'memory') => [
	await binaryItem({ json: { known: [HASH] }, files: { data: INVOICE }, mode }),
	await binaryItem({ files: { data: ORDER }, mode }),
];

const extract = async (options: INodeParameters, mode?: (typeof BINARY_MODES)[number]) =>
	await used.run({ ...EXTRACT, options }, { items: await bothFiles(mode), binaryMode: mode });

const uploaded = async () => (await used.control.ledger()).uploads.map(({ sha256: hash }) => hash);

describe('Skip Hashes', () => {
	it.each(BINARY_MODES)('leaves out a file that is known, with files in %s', async (mode) => {
		const { error, output } = await extract({ skipHashes: HASH }, mode);

		expect(error).toBeUndefined();
		expect(output[0]).toEqual({
			json: { fileName: INVOICE.fileName, fileHash: HASH, skipped: true },
			pairedItem: { item: 0 },
		});
		expect(output.slice(1)).toMatchObject([
			{ json: { fileName: ORDER.fileName }, pairedItem: { item: 1 } },
		]);
		expect(output[1].json).not.toHaveProperty('skipped');
		expect(await uploaded()).toEqual([sha256(ORDER.data)]);
	});

	it.each<[title: string, skipHashes: string, sent: number]>([
		['a list', `={{ ["${'0'.repeat(64)}", "${HASH}"] }}`, 1],
		['rows of a table, some without a hash', `={{ [null, "${HASH.toUpperCase()}", ""] }}`, 1],
		['a table without rows', '={{ [] }}', 2],
		['an empty item of a table', '={{ [undefined] }}', 2],
		['text with commas', `${HASH}, ${sha256(ORDER.data)}`, 0],
		['nothing', '', 2],
	])('takes %s', async (_, skipHashes, sent) => {
		const { error, output } = await extract({ skipHashes });

		expect(error).toBeUndefined();
		expect(output).toHaveLength(2);
		expect(await uploaded()).toHaveLength(sent);
	});

	it.each(['d41d8cd98f00b204e9800998ecf8427e', '={{ [1] }}', `${HASH} ${HASH}`])(
		'refuses what is no SHA-256, before anything is sent: %s',
		async (skipHashes) => {
			const { error } = await extract({ skipHashes });

			expect(error?.message).toContain("'Skip Hashes' has '");
			expect(error?.message).toContain("', which is not a SHA-256 hash");
			expect(await used.control.requests()).toEqual([]);
		},
	);

	it('sends nothing where all files are known, and keeps them where that is wanted', async () => {
		const { output } = await used.run(
			{ ...EXTRACT, options: { skipHashes: '={{ $json.known }}', keepInputFiles: true } },
			{ items: (await bothFiles()).slice(0, 1) },
		);

		expect(await used.control.requests()).toEqual([]);
		expect(await readBinary(output[0], 'data')).toEqual(INVOICE.data);
	});
});

describe('what needs attention', () => {
	const said = ({ hints }: Awaited<ReturnType<typeof extract>>) =>
		hints.map(({ message }) => message).filter((message) => message.startsWith('Needs attention'));

	it('is counted once, in a hint and in the log', async () => {
		const items = [
			...(await bothFiles()),
			await binaryItem({ files: { data: textFile('note.txt', 'Total: 3'), extra: ORDER } }),
		];
		const runs: Array<Awaited<ReturnType<typeof extract>>> = [];
		const log = await logOf(async () => {
			runs.push(await used.run({ ...EXTRACT, options: { skipHashes: HASH } }, { items }));
		});

		const counts = 'Needs attention: 1 left out.';
		expect(runs.map(said)).toEqual([[counts]]);
		expect(JSON.stringify(log).split(counts)).toHaveLength(2);
	});

	it('counts documents that may be incomplete, and those without results that are read', async () => {
		const credential = { finishedStatuses: '', workflowEndpoint: '' };
		const items = (await bothFiles()).slice(0, 1);
		const doubtful = await used.run(
			{ ...EXTRACT, options: { maxWait: 60 } },
			{ items, credential },
		);
		expect(said(doubtful)).toEqual(['Needs attention: 1 may be incomplete.']);

		await used.answerResults([
			{ document_id: 'a', values: { Total: 1 } },
			{ document_id: 'b', values: {} },
		]);
		const read = await used.run({ resource: 'extraction', operation: 'getAll' });
		expect(said(read)).toEqual(['Needs attention: 1 without results.']);
	});
});
