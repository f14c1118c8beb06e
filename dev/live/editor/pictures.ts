/** The pictures of the documentation, and what can be read in them. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { temporaryFolder } from '../../machine/temporaryFolder.ts';
import { appearances, type Subject, takeScreenshots } from './screenshots.ts';

interface Scene {
	subject: Subject;
	/** How long it is shown. */
	ms: number;
}

/** Local addresses, IDs, times of day and durations differ from run to run. */
const volatile =
	/\b127\.0\.0\.1:\d+[^\s"]*|\b(?:[a-z]+_)?[\da-f]{8}[\da-f-]*\b|\b\d\d:\d\d(?::\d\d)?\b|\b[\d.]+ ?m?s\b/g;

/** What n8n puts beside every field and column, and what has no text. */
const furniture =
	/^ *- (?:img|button|radiogroup:|radio ".*|'?button ".*(?:Expression|Focus parameter|Collapse rows)"'?)\n/gm;

/** A row says what its cells say, unless one of them is empty. */
const cellsOfRow = /(?<=^ *- '?row ".*"'?:\n)(?: *- '?cell.*\n)+/gm;

/** The texts in a picture, with what its fields contain, as YAML. */
async function textsIn({ elements, within }: Subject): Promise<string> {
	const parts = within ? [within] : elements;
	const texts = await Promise.all(parts.map(async (part) => await part.ariaSnapshot()));
	const whole = `${texts.join('\n').replace(volatile, '…')}\n`;
	return whole.replace(furniture, '').replace(cellsOfRow, '');
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const images = join(root, 'docs', 'images');

export class PictureBook {
	private readonly taken: string[] = [];

	/** @param isReplaced whether the pictures replace those of the documentation */
	constructor(private readonly isReplaced = false) {}

	private async folder(): Promise<string> {
		return this.isReplaced ? images : await temporaryFolder('screenshots');
	}

	/** @throws AssertionError if the picture that is kept shows other texts */
	async take(name: string, subject: Subject) {
		this.taken.push(...(await takeScreenshots(await this.folder(), name, subject)));
		await this.compare(name, [subject]);
	}

	private async compare(name: string, subjects: Subject[]) {
		const texts = (await Promise.all(subjects.map(textsIn))).join('\n');
		const file = new URL(`texts/${name}.yml`, import.meta.url);
		if (this.isReplaced) {
			await mkdir(new URL('.', file), { recursive: true });
			await writeFile(file, texts);
			return;
		}
		const kept = await readFile(file, 'utf8').catch(() => '');
		const advice = 'take it again: npm run test:browser -- --pictures';
		assert.equal(texts, kept, `The picture ${name} is out of date: ${advice}`);
	}

	/**
	 * Takes `<name>.light.gif` and `<name>.dark.gif`, which show the scenes in turn.
	 * @throws AssertionError if the film that is kept shows other texts
	 */
	async film(name: string, scenes: Scene[]) {
		const parts = await temporaryFolder('film');
		for (const [index, { subject }] of scenes.entries()) {
			await takeScreenshots(parts, `scene${index}`, subject);
		}
		const delay = scenes.map(({ ms }) => ms);
		for (const appearance of appearances) {
			const file = `${name}.${appearance}.gif`;
			const pictures = scenes.map((_, index) => join(parts, `scene${index}.${appearance}.png`));
			await sharp(pictures, { join: { animated: true } })
				.gif({ delay, loop: 0, effort: 10 })
				.toFile(join(await this.folder(), file));
			this.taken.push(file);
		}
		await this.compare(
			name,
			scenes.map(({ subject }) => subject),
		);
	}

	/** No picture may be shown that is not made here, nor kept that nobody sees. */
	async assertComplete() {
		const docs = (await readdir(join(root, 'docs'))).filter((file) => file.endsWith('.md'));
		const pages = ['README.md', 'examples/README.md', ...docs.map((file) => join('docs', file))];
		const texts = await Promise.all(
			pages.map(async (page) => await readFile(join(root, page), 'utf8')),
		);
		const shown = [...texts.join('\n').matchAll(/images\/([\w.-]+)/g)].map(([, file]) => file);
		const made = [...this.taken].sort();
		assert.deepEqual([...new Set(shown)].sort(), made);
		assert.deepEqual((await readdir(images)).sort(), made);
	}
}
