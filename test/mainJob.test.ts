import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { binaryItem, type BinaryMode } from './support/binary';
import { sample, sha256 } from './support/files';
import { BINARY_MODES, PROFILES } from './support/profiles';
import { useService } from './support/useService';

/** What the text of each sample says, whatever the shape in which a profile returns it. */
const SAMPLES = {
	'invoice-harbour-supplies.pdf': ['HS-2024-0417', '2024-03-14', 'Harbour Office Supplies Ltd'],
	'purchase-order-larkfield.pdf': ['PO-78003', '2024-04-02', 'Brightwell Packaging Inc.'],
	'delivery-note-brightwell.pdf': ['DN-90442', '2024-04-26', 'Brightwell Packaging Inc.'],
	'rechnung-mueller-soehne.pdf': ['RE-24/1093-Ä', '2024-05-02', 'Müller & Söhne Bürobedarf GmbH'],
};

type Sample = keyof typeof SAMPLES;

const METHODS = ['direct', 'signed'];

/** Two items, as a folder of files and an email with three attachments hand them on. */
const inbox = async (mode: BinaryMode) => [
	await binaryItem({
		json: { from: 'folder' },
		files: { data: sample('invoice-harbour-supplies.pdf') },
		mode,
	}),
	await binaryItem({
		json: { from: 'email' },
		files: {
			attachment_0: sample('purchase-order-larkfield.pdf'),
			attachment_1: sample('delivery-note-brightwell.pdf'),
			attachment_2: sample('rechnung-mueller-soehne.pdf'),
		},
		mode,
	}),
];

const extractFromFiles = (uploadMethod: string): INodeParameters => ({
	resource: 'extraction',
	operation: 'extractFromFiles',
	binaryPropertyName: '*',
	uploadMethod,
});

const fileNameOf = ({ json }: INodeExecutionData) => json.fileName as Sample;

describe.each(PROFILES)('with the profile %s', (profile) => {
	const used = useService({ profile, extractionMs: 50, startMs: 30 });

	describe.each(BINARY_MODES)('and files in %s', (mode) => {
		it.each(METHODS)('extracts the values of every file once, by %s upload', async (method) => {
			const run = await used.run(extractFromFiles(method), {
				binaryMode: mode,
				items: await inbox(mode),
			});

			expect(run.error).toBeUndefined();
			const sources = new Map(
				run.output.map((item) => [fileNameOf(item), (item.pairedItem as { item: number }).item]),
			);
			expect([...sources]).toEqual([
				['invoice-harbour-supplies.pdf', 0],
				['purchase-order-larkfield.pdf', 1],
				['delivery-note-brightwell.pdf', 1],
				['rechnung-mueller-soehne.pdf', 1],
			]);
			for (const [fileName, values] of Object.entries(SAMPLES)) {
				const results = run.output.filter((item) => fileNameOf(item) === fileName);
				for (const value of values) expect(JSON.stringify(results)).toContain(value);
			}

			const { uploads, extractions } = await used.control.ledger();
			expect(uploads.map((upload) => [upload.method, upload.confirmed])).toEqual(
				Array.from({ length: 4 }, () => [method, true]),
			);
			expect(uploads.map((upload) => upload.sha256).sort()).toEqual(
				Object.keys(SAMPLES)
					.map((fileName) => sha256(sample(fileName as Sample).data))
					.sort(),
			);
			expect(extractions).toHaveLength(1);
			expect([...extractions[0].documentIds].sort()).toEqual(
				uploads.map(({ documentId }) => documentId).sort(),
			);
		});
	});
});
