import fs from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as N8n from '../../test/support/n8n.ts';

const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What is loaded anew for each node: the package's own files, and what holds on to them. */
const OWN = /^(nodes|credentials)[\\/]|^test[\\/]support[\\/]n8n\.ts$/;

/** A place in a file of the node that is changed, where it stands exactly once. */
export interface Patch {
	file: string;
	from: string;
	to: string;
}

export type NodeUnderTest = Pick<typeof N8n, 'runNode' | 'executeContext' | 'isSetUp'>;

/**
 * Loads the node as if nobody had loaded it before, as it is or broken on purpose.
 * @throws where a place to be changed is not there once
 */
export function loadNode(patches: Patch[] = []): NodeUnderTest {
	for (const path of Object.keys(require.cache)) {
		if (path.startsWith(ROOT) && OWN.test(path.slice(ROOT.length))) delete require.cache[path];
	}
	const sources = new Map<string, string>();
	for (const { file, from, to } of patches) {
		const source = sources.get(ROOT + file) ?? fs.readFileSync(ROOT + file, 'utf8');
		if (source.split(from).length !== 2) throw new Error(`${file} holds not one '${from}'`);
		sources.set(
			ROOT + file,
			source.replace(from, () => to),
		);
	}
	const { readFileSync } = fs;
	const read = (path: fs.PathOrFileDescriptor, ...rest: never[]) =>
		sources.get(String(path)) ?? readFileSync(path, ...rest);
	fs.readFileSync = read as typeof readFileSync;
	try {
		return require('../../test/support/n8n.ts') as NodeUnderTest;
	} finally {
		fs.readFileSync = readFileSync;
	}
}
