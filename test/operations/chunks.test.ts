import { itemWith } from '../support/binary';
import { textFile } from '../support/files';
import { useService } from '../support/useService';

const MORE_THAN_A_CALL = 1_030;

describe('more documents than one call names', () => {
	const used = useService({ profile: 'atlas', startMs: 0, extractionMs: 0 });

	const failSecond = async (operation: 'extractBulk' | 'confirm') =>
		await used.fault(operation, { type: 'status', status: 400 }, { skip: 1, times: 1 });

	const RETRY = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

	const extracted = async () =>
		(await used.control.ledger()).extractions.map(({ documentIds }) => documentIds.length);

	it('are extracted in chunks; what was started before one failed is said', async () => {
		const { documentIds } = await used.control.seed({ documents: MORE_THAN_A_CALL });
		await failSecond('extractBulk');

		const { error } = await used.run({
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: documentIds.join(),
			options: { force: true },
		});

		expect(error?.description).toContain(
			`Already started for: ${documentIds[0]}, ${documentIds[1]}`,
		);
		expect(error?.description).toContain('and 980 more');
		expect(await extracted()).toEqual([1_000]);
	});

	it('are extracted in chunks when they come from files', async () => {
		const file = textFile('letter.txt', 'Invoice number: 1\n');
		const item = await itemWith(...Array.from({ length: MORE_THAN_A_CALL }, () => file));
		await failSecond('extractBulk');

		const { error } = await used.run({ binaryPropertyName: '*' }, { items: [item] });

		const ids = (title: string) =>
			error?.description
				?.split(`${title}; do not upload again: `)[1]
				?.match(/^(letter\.txt: \w+[;.] ?)+/)?.[0]
				.split(';');
		expect(ids('Already uploaded, with the extraction started')).toHaveLength(1_000);
		expect(ids('Already uploaded')).toHaveLength(30);
		expect(await extracted()).toEqual([1_000]);
		// Nobody waits for what the run will not give.
		expect(await used.control.requests('getDocuments')).toEqual([]);
	});

	it.each([
		['said', {}, { isSaid: true, rows: 0, calls: 2 }],
		[
			"not confirmed again by n8n's Retry On Fail",
			RETRY,
			{ isSaid: false, rows: MORE_THAN_A_CALL, calls: 3 },
		],
	])(
		'are confirmed in chunks; what was confirmed before one failed is %s',
		async (_, settings, expected) => {
			const documentIds = Array.from({ length: MORE_THAN_A_CALL }, (__, index) => `doc-${index}`);
			await failSecond('confirm');
			await used.fault('confirm', { type: 'status', status: 200 });

			const { error, output } = await used.run(
				{ resource: 'document', operation: 'confirmUpload', documentIds: documentIds.join() },
				settings,
			);

			const calls = (await used.control.requests('confirm')).length;
			const isSaid = error?.description?.includes('Already confirmed: ') ?? false;
			expect({ isSaid, rows: output.length, calls }).toEqual(expected);
		},
	);
});
