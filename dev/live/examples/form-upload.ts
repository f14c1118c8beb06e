import assert from 'node:assert/strict';
import { join } from 'node:path';
import { live } from '../stage/live.ts';
import { assertAllSaid, sampleNames, samples } from '../stage/samples.ts';

/** The ending shows the name of each file, and below it a line `name: value` for each value. */
function* rowsOnPage(text: string) {
	let fileName: string | undefined;
	for (const line of text.split('\n')) {
		if (sampleNames.includes(line)) fileName = line;
		else if (fileName) yield { fileName, value: line.slice(line.indexOf(': ') + 2) };
	}
}

live('shows the values of the documents that were chosen in the form', async (stage) => {
	const { n8n, importExample, activate, openPage } = stage;
	await activate(await importExample('form-upload'));
	const page = await openPage();

	await page.goto(`${n8n.url}/form/read-documents`);
	const chosen = sampleNames.map((name) => join(samples, name));
	await page.locator('input[type=file]').setInputFiles(chosen);
	await page.getByRole('button', { name: 'Submit' }).click();
	await page.getByText('Values of your documents').waitFor();

	const text = await page.locator('body').innerText();
	assert.doesNotMatch(text, /https?:/, 'the form shows the address of a stored file');
	assertAllSaid([...rowsOnPage(text)]);
});
