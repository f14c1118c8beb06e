import { find } from '../support/serviceClient';
import { PROFILES } from '../support/serviceContract';
import { useVirtualService } from '../support/useService';
import {
	ALL_LETTERS,
	BY_RESULTS,
	fromFiles,
	letter,
	numbersIn,
	runWith,
	SIGNS,
} from './waitingRuns';

describe.each(PROFILES)('waiting, as %s', (profile) => {
	const used = useVirtualService({ profile, extractionMs: 1_000, startMs: 750 });
	const run = runWith(used);

	const operationsSeen = async () =>
		(await used.control.requests()).map(({ operation }) => operation);

	it.each(SIGNS)('goes by %s', async (_, credential, reads) => {
		const { error, output } = await run(fromFiles({}), credential);

		expect(error).toBeUndefined();
		expect(numbersIn(output)).toEqual(ALL_LETTERS);
		const seen = new Set(await operationsSeen());
		expect([...seen].sort()).toEqual([...reads, 'upload', 'extractBulk'].sort());
	});

	it('needs no API Detail but the file field where documents are named as the interface does', async () => {
		const { documentIdField } = used.service.account.apiDetails;

		const { error, output } = await run(fromFiles({}), { ...BY_RESULTS, documentIdField: '' });

		const missing = error?.message.includes("'Document ID Field'");
		const outcome = { numbers: numbersIn(output), missing };
		expect(outcome).toEqual(
			documentIdField === 'document_id'
				? { numbers: ALL_LETTERS, missing: undefined }
				: { numbers: new Set(), missing: true },
		);
	});

	it('waits for a workflow until it extracts nothing, and no longer', async () => {
		await used.control.settings({ extractionMs: 15_000 });
		await used.client.upload({ bytes: letter(1).data });
		await used.client.api('POST', used.client.at('/extract'));

		const { error, output } = await run(
			{ resource: 'workflow', operation: 'waitUntilExtracted', options: { settleTime: 60 } },
			{},
			{ items: [{ json: {} }] },
		);

		expect(error).toBeUndefined();
		const answers = (await used.control.requests('getWorkflow')).map(({ answer }) => answer);
		expect(output.map(({ json }) => json)).toMatchObject([
			{ finished: true, workflow: answers.at(-1) },
		]);
		const readings = answers.map((answer) => Number(find(answer, 'is_extracting')));
		expect(readings.join('')).toMatch(/^0*1+0+$/);
	});
});
