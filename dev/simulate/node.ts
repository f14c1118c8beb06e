import fs from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as N8n from '../../test/support/n8n.ts';

const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What is loaded anew for each node: the package's own files, and what holds on to them. */
const OWN = /^(nodes|credentials)[\\/]|^test[\\/]support[\\/]n8n\.ts$/;

/** A file of the node, by its path in this repository, with another text. */
export interface BrokenFile {
	file: string;
	text: string;
}

export type NodeUnderTest = Pick<typeof N8n, 'runNode' | 'executeContext' | 'isSetUp'>;

/** Loads the node as if nobody had loaded it before, as it is or broken on purpose. */
export function loadNode(broken: BrokenFile[] = []): NodeUnderTest {
	for (const path of Object.keys(require.cache)) {
		if (path.startsWith(ROOT) && OWN.test(path.slice(ROOT.length))) delete require.cache[path];
	}
	const sources = new Map(broken.map(({ file, text }) => [ROOT + file, text]));
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
