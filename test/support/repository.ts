import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The repository, for tests of what its files say. */
export const ROOT = resolve(__dirname, '../..');

export const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The TypeScript files in these folders, at any depth. */
export const sourcesIn = (...folders: string[]) =>
	folders.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => join(folder, name)),
	);

/** The files of the repository whose paths git matches with the pattern. */
export const trackedFiles = (pattern: string) =>
	execFileSync('git', ['ls-files', pattern], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');

/** What a page says above its sections, and each section by its heading. */
export function sectionsOf(page: string) {
	const [top, ...sections] = textOf(page).split(/^## /m);
	const named = sections.map((text) => [text.split('\n', 1)[0], text] as const);
	return { top, sections: new Map(named) };
}
