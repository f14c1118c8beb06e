import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkNames, type Names, packageOf, renamer } from './names.ts';

const run = promisify(execFile);

interface Manifest {
	name: string;
	repository: { url: string };
	n8n: { nodes: string[] };
}

/** The names that the repository has: the node's in its file, the owner in package.json. */
export async function namesOf(repository: string): Promise<Names> {
	const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as Manifest;
	const nodeFile = manifest.n8n.nodes[0].replace(/^dist\//, '').replace(/\.js$/, '.ts');
	const node = await readFile(join(repository, nodeFile), 'utf8');
	const [, service] = /displayName: '(.+?)'/.exec(node) ?? [];
	const [, org] = /github\.com\/(.+?)\//.exec(manifest.repository.url) ?? [];
	if (!service || !org || packageOf({ service, org }) !== manifest.name) {
		throw new Error(`The names in package.json and ${nodeFile} do not belong together.`);
	}
	return { service, org };
}

async function trackedFiles(repository: string) {
	const { stdout } = await run('git', ['ls-files', '-z'], { cwd: repository });
	return stdout.split('\0').filter(Boolean);
}

/** Undefined for pictures and PDFs. */
function textIn(content: Buffer) {
	const text = content.toString('utf8');
	return Buffer.from(text).equals(content) && !text.includes('\0') ? text : undefined;
}

async function removeEmptyFolders(folder: string): Promise<void> {
	// It throws where something is left in the folder, such as what git ignores.
	const removed = await rmdir(folder).then(
		() => true,
		() => false,
	);
	if (removed) await removeEmptyFolders(dirname(folder));
}

/**
 * Gives every file that git tracks the new names, in its path and in its text.
 * @returns the files that have changed, by their new paths
 */
export async function rename(repository: string, next: Names): Promise<string[]> {
	checkNames(next);
	const renamed = renamer(await namesOf(repository), next);
	const changed: string[] = [];
	for (const path of await trackedFiles(repository)) {
		const file = join(repository, path);
		const content = await readFile(file);
		const text = textIn(content);
		const newPath = renamed(path);
		const newContent = text === undefined ? content : renamed(text);
		if (newPath === path && newContent === (text ?? content)) continue;
		changed.push(newPath);
		await mkdir(dirname(join(repository, newPath)), { recursive: true });
		await writeFile(join(repository, newPath), newContent);
		if (newPath === path) continue;
		await rm(file);
		await removeEmptyFolders(dirname(file));
	}
	return changed;
}
