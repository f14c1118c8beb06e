import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './stage.ts';

async function pages(): Promise<string[]> {
	const docs = (await readdir(join(root, 'docs'))).filter((file) => file.endsWith('.md'));
	const files = ['README.md', ...docs.map((file) => join('docs', file))];
	return await Promise.all(files.map(async (file) => await readFile(join(root, file), 'utf8')));
}

/** Nothing may be kept that nobody sees; a screenshot that is shown is one that the tests take. */
export async function assertPicturesOfDocumentation(taken: string[]) {
	const text = (await pages()).join('\n');
	const shown = new Set([...text.matchAll(/images\/([\w.-]+)/g)].map(([, file]) => file));
	const kept = await readdir(join(root, 'docs', 'images'));
	assert.deepEqual(kept.sort(), [...shown].sort());

	const made = taken.flatMap((name) => [`${name}.light.png`, `${name}.dark.png`]);
	assert.deepEqual(kept.filter((file) => file.endsWith('.png')).sort(), made.sort());
}
