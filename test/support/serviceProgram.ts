import { createHash } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

// The demo and the end-to-end tests load this file through tsx, where `__dirname` is no folder.
const dev = resolve(dirname(__filename), '../../dev');
const source = join(dev, 'service');
const cache = join(dev, '.cache', 'service');
/** After its last use: a service that still runs may yet load files of a build that is out of date. */
const KEPT_FOR_MS = 24 * 60 * 60_000;

/** Of all that the program is made of: the service's source, which imports nothing else, and the packages. */
function fingerprint() {
	const hash = createHash('sha256');
	const names = readdirSync(source, { recursive: true, encoding: 'utf8' });
	const sources = names.filter((name) => /\.(ts|json)$/.test(name)).sort();
	for (const name of sources) hash.update(name).update(readFileSync(join(source, name)));
	const others = [join(dev, 'package-lock.json'), __filename];
	for (const file of others) hash.update(readFileSync(file));
	return hash.digest('hex').slice(0, 16);
}

/**
 * The simulated service, bundled: it starts in a sixth of the time that its source takes. What is
 * seldom needed is in separate files, loaded when it is.
 * Built where its source or a package has changed since it was last built.
 * @returns the path of a program for Node, with the command line of `npm run service`
 */
export const serviceProgram = async () => await (building ??= buildProgram());

let building: Promise<string> | undefined;

async function buildProgram(): Promise<string> {
	const folder = join(cache, fingerprint());
	const program = join(folder, 'service.mjs');
	if (existsSync(folder)) {
		const now = new Date();
		utimesSync(folder, now, now);
		return program;
	}

	mkdirSync(cache, { recursive: true });
	for (const name of readdirSync(cache)) {
		const path = join(cache, name);
		// Another process may have renamed or removed it meanwhile.
		const lastUsedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
		if (Date.now() - lastUsedAt > KEPT_FOR_MS) rmSync(path, { recursive: true, force: true });
	}
	const unfinished = mkdtempSync(join(cache, 'unfinished-'));
	await build({
		entryPoints: { service: join(source, 'main.ts') },
		outdir: unfinished,
		outExtension: { '.js': '.mjs' },
		bundle: true,
		splitting: true,
		platform: 'node',
		format: 'esm',
		target: 'node20',
		// Packages that are CommonJS ask for Node's own modules by `require`, which a module lacks.
		banner: {
			js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
		},
		logLevel: 'error',
	});
	// Others may build it at the same time, and none may start half a program: the first one counts.
	try {
		renameSync(unfinished, folder);
	} catch (error) {
		if (!existsSync(folder)) throw error;
		rmSync(unfinished, { recursive: true });
	}
	return program;
}
