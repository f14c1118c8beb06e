/** What can be read in the pictures of the documentation: one that shows other texts is out of date. */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { Subject } from './screenshots.ts';

/** Local addresses, IDs, times of day and durations differ from run to run. */
const volatile =
	/\b127\.0\.0\.1:\d+[^\s"]*|\b(?:[a-z]+_)?[\da-f]{8}[\da-f-]*\b|\b\d\d:\d\d(?::\d\d)?\b|\b[\d.]+ ?m?s\b/g;

/** The texts in a picture, with what its fields contain, as YAML. */
export async function textsIn({ elements, within }: Subject): Promise<string> {
	const parts = within ? [within] : elements;
	const texts = await Promise.all(parts.map(async (part) => await part.ariaSnapshot()));
	return `${texts.join('\n').replace(volatile, '…')}\n`;
}

const fileOf = (name: string) => new URL(`texts/${name}.yml`, import.meta.url);

export async function keepTexts(name: string, texts: string) {
	await mkdir(new URL('.', fileOf(name)), { recursive: true });
	await writeFile(fileOf(name), texts);
}

/** @throws AssertionError for a picture that was taken when there were other texts */
export async function assertUpToDate(name: string, texts: string) {
	const kept = await readFile(fileOf(name), 'utf8').catch(() => '');
	const advice = 'take it again: npm run test:browser -- --pictures';
	assert.equal(texts, kept, `The picture ${name} is out of date: ${advice}`);
}
