import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startChromium } from '../../machine/chromium.ts';
import { samples, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const ending = 'Values of your documents';

/** The ending shows the name of each file, and below it a line `name: value` for each value. */
function* rowsOnPage(text: string) {
	let fileName: string | undefined;
	for (const line of text.split('\n')) {
		if (sampleNames.includes(line)) fileName = line;
		else if (fileName) yield { fileName, value: line.slice(line.indexOf(': ') + 2) };
	}
}

export default ({ n8n, service, importExample }: Stage) => {
	test('shows the values of the documents that were chosen in the form', async (context) => {
		await n8n.activate(await importExample('form-upload'));
		const browser = await startChromium();
		context.after(async () => await browser.close());
		const page = await browser.newPage();

		await page.goto(`${n8n.url}/form/read-documents`);
		const chosen = sampleNames.map((name) => join(samples, name));
		await page.locator('input[type=file]').setInputFiles(chosen);
		await page.getByRole('button', { name: 'Submit' }).click();
		await page.getByText(ending).waitFor();

		const text = await page.locator('body').innerText();
		assert.doesNotMatch(text, /https?:/, 'the form shows the address of a stored file');
		await assertAllSaid(service, [...rowsOnPage(text)]);
	});
};
