import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './stage.ts';

async function pages(): Promise<string[]> {
	const docs = (await readdir(join(root, 'docs'))).filter((file) => file.endsWith('.md'));
	const files = [
		'README.md',
		join('examples', 'README.md'),
		...docs.map((file) => join('docs', file)),
	];
	return await Promise.all(files.map(async (file) => await readFile(join(root, file), 'utf8')));
}

/** Drawn by the benchmark. */
const charts = ['benchmarks.light.svg', 'benchmarks.dark.svg'];

/** No picture may be shown that is not made here, nor kept that nobody sees. */
export async function assertPicturesOfDocumentation(taken: string[]) {
	const text = (await pages()).join('\n');
	const shown = [...text.matchAll(/images\/([\w.-]+)/g)].map(([, file]) => file);
	const made = [...charts, ...taken].sort();
	const kept = await readdir(join(root, 'docs', 'images'));
	assert.deepEqual([...new Set(shown)].sort(), made);
	assert.deepEqual(kept.sort(), made);
}
