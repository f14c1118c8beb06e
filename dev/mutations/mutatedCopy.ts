import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Patch } from '../simulate/node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Parts {
	/** Files and folders of this repository. */
	copied: string[];
	/** The same, but shared with it. */
	linked: string[];
	patches: Patch[];
}

/**
 * Copies a part of this repository and breaks it on purpose; its caller removes the copy.
 * @throws where a place to be changed is not there once
 */
export async function mutatedCopy({ copied, linked, patches }: Parts): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'mutation-'));
	for (const path of copied) await cp(join(root, path), join(folder, path), { recursive: true });
	for (const path of linked) await symlink(join(root, path), join(folder, path));
	for (const { file, from, to } of patches) {
		const source = await readFile(join(folder, file), 'utf8');
		if (source.split(from).length !== 2) throw new Error(`${file} holds not one '${from}'`);
		await writeFile(
			join(folder, file),
			source.replace(from, () => to),
		);
	}
	return folder;
}
