import assert from 'node:assert/strict';
import { join } from 'node:path';
import { live } from '../stage/live.ts';
import { assertSaid, sampleNames, samples } from '../stage/samples.ts';

const [chosen] = sampleNames;

live('a browser puts the file to storage and shows its values, without the key', async (stage) => {
	const { n8n, service, importExample, activate, openPage } = stage;
	await activate(await importExample('browser-upload'));
	const page = await openPage();
	const seen: string[] = [];
	page.on('response', (response) => {
		// Preflights and the storage's answer have no body.
		response.text().then(
			(text) => seen.push(text),
			() => undefined,
		);
	});

	await page.goto(`${n8n.url}/webhook/document-upload`);
	await page.getByLabel('PDF file').setInputFiles(join(samples, chosen));
	const answer = page.getByRole('status');
	await answer.filter({ hasText: /^(\[|That did not work)/ }).waitFor();

	assertSaid(chosen, JSON.parse((await answer.textContent()) ?? ''));
	const { uploads } = await service.control.ledger();
	assert.deepEqual(
		uploads.map(({ fileName, method, confirmed }) => [fileName, method, confirmed]),
		[[chosen, 'signed', true]],
	);
	const key = String(service.credential().apiKey);
	assert.ok(seen.some((text) => text.includes(uploads[0].documentId)));
	assert.ok(seen.every((text) => !text.includes(key)));
});
