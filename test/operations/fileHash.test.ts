import type { INodeParameters } from 'n8n-workflow';
import { BINARY_MODES, binaryItem } from '../support/binary';
import { sample, sha256, textFile } from '../support/files';
import type { RunOptions } from '../support/nodeEngine';
import { useService } from '../support/useService';

const INVOICE = sample('invoice-harbour-supplies.pdf');
/** So large that it is streamed. */
const SCAN = textFile('scan.pdf', 'Invoice number: 1\n'.repeat(20_000), 'application/pdf');

const EXTRACT = { resource: 'extraction', operation: 'extractFromFiles' };
const UPLOAD = { resource: 'document', operation: 'upload' };

describe('File Hash', () => {
	const used = useService({ profile: 'atlas', extractionMs: 20, startMs: 5 });
	const hashes = [INVOICE, SCAN].map(({ data }) => sha256(data));

	const runOf = async (
		parameters: INodeParameters,
		settings: Pick<RunOptions, 'binaryMode' | 'onError'> = {},
	) => {
		const items = [INVOICE, SCAN].map(
			async (file) => await binaryItem({ files: { data: file }, mode: settings.binaryMode }),
		);
		return await used.run(
			{ ...parameters, options: { fileHash: true } },
			{ items: await Promise.all(items), ...settings },
		);
	};

	// Also where a try breaks off and where the node runs again: the simulation's extractRows.
	describe.each(BINARY_MODES)('with files in %s', (binaryMode) => {
		it.each([
			['Extract From Files', { ...EXTRACT, uploadMethod: 'direct' }],
			['Extract From Files, raw', { ...EXTRACT, simple: false }],
			['Upload by signed URL', { ...UPLOAD, uploadMethod: 'signed' }],
		])('%s gives the SHA-256 of each file', async (_, parameters) => {
			const { error, output } = await runOf(parameters, { binaryMode });

			expect(error).toBeUndefined();
			expect([...new Set(output.map(({ json }) => json.fileHash))]).toEqual(hashes);
		});
	});

	it('stands with what is known of a file that fails later', async () => {
		await used.fault('extractBulk', { type: 'status', status: 400 });

		const { output } = await runOf(EXTRACT, { onError: 'continueRegularOutput' });

		const { uploads } = await used.control.ledger();
		expect(uploads).toHaveLength(2);
		expect(output).toMatchObject(
			uploads.map(({ documentId, sha256: fileHash }) => ({
				json: { details: { documentId, fileHash } },
			})),
		);
	});

	it.each(['direct', 'signed'])(
		'stands with a file that was sent and refused (%s)',
		async (uploadMethod) => {
			const operation = uploadMethod === 'direct' ? 'upload' : 'putFile';
			await used.fault(operation, { type: 'statusAfter', status: 400 });

			const { errorOutput } = await runOf(
				{ ...UPLOAD, uploadMethod },
				{ onError: 'continueErrorOutput', binaryMode: 'filesystem' },
			);

			expect(
				errorOutput.map(({ json }) => /File hash: (\w+)\.$/.exec(String(json.message))?.[1]),
			).toEqual(hashes);
		},
	);
});
