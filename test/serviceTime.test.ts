import { PROFILES } from './support/profiles';
import { find } from './support/serviceClient';
import { useVirtualService } from './support/useVirtualService';

describe.each(PROFILES)('when the simulated service does something, as %s', (profile) => {
	const used = useVirtualService({ profile, startMs: 400, extractionMs: 1_000 });
	const LETTER = { bytes: 'Invoice number: 1', contentType: 'text/plain' };

	const extract = async (body?: object) =>
		await used.client.api('POST', used.client.at('/extract'), { body });
	const isExtracting = async () =>
		find((await used.client.describeWorkflow()).json, 'is_extracting');
	const status = async () =>
		find((await used.client.api('GET', used.client.at('/documents'))).json, 'extraction_status');

	it('extracts only a moment after the trigger, and when another user keeps it busy', async () => {
		await used.client.upload(LETTER);
		await extract();

		expect(await isExtracting()).toBe(false);
		await used.time.pass(399);
		expect(await isExtracting()).toBe(false);
		await used.time.pass(2);
		expect(await isExtracting()).toBe(true);
		await used.time.pass(1_000);
		expect(await isExtracting()).toBe(false);

		await used.control.busy(used.client.workflow.id, 60_000);
		expect(await isExtracting()).toBe(true);
		await used.time.pass(60_001);
		expect(await isExtracting()).toBe(false);
	});

	it('keeps documents in the queue, not started, until the extraction begins', async () => {
		const document_id = await used.client.uploadedId(LETTER);
		const before = await status();
		await extract();

		await used.time.pass(399);
		expect(await status()).toBe(before);
		await used.time.pass(2);
		expect(await status()).not.toBe(before);
		expect((await used.client.resultsPage({ document_id })).total).toBe(0);
		await used.time.pass(1_000);
		expect((await used.client.resultsPage({ document_id })).total).toBeGreaterThan(0);
		const { finishedStatuses } = used.service.account.apiDetails;
		expect(finishedStatuses.split(/[,\s]+/)).toContain(String(await status()));
	});

	it('keeps the old results of a document until those of new columns are written', async () => {
		const [first, second, third] = used.client.workflow.columns;
		const { documentIds } = await used.control.seed({
			documents: 2,
			columns: [first.id, second.id],
			extractionsPerDocument: profile === 'borealis' ? 2 : 1,
		});
		const results = async () =>
			(await used.client.resultsPage({ document_id: documentIds[1] })).items;
		const old = await results();
		expect(old).not.toEqual([]);

		await extract({ document_ids: [documentIds[1]], column_ids: [third.id] });
		await used.time.pass(1_399);
		expect(await results()).toEqual(old);
		await used.time.pass(2);

		const texts = [first, second, third].map(({ id, name }) => [String(id), name]);
		const now = JSON.stringify(await results());
		for (const names of texts) expect(names.some((name) => now.includes(`"${name}"`))).toBe(true);
	});
});
