import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

// The demo and the end-to-end tests load this file through tsx, where `__dirname` is no folder.
const dev = resolve(dirname(__filename), '../../dev');
const source = join(dev, 'service');
const cache = join(dev, '.cache', 'service');

/** Of all that the program is made of: its source, which imports nothing beside it, and its packages. */
function fingerprint() {
	const hash = createHash('sha256');
	const names = readdirSync(source, { recursive: true, encoding: 'utf8' });
	const sources = names.filter((name) => /\.(ts|json)$/.test(name)).sort();
	for (const name of sources) hash.update(name).update(readFileSync(join(source, name)));
	for (const file of [join(dev, 'package-lock.json'), __filename]) hash.update(readFileSync(file));
	return hash.digest('hex').slice(0, 16);
}

/**
 * The simulated service as one file, which starts in a fifth of the time that its source takes.
 * Built where its source or a package has changed since it was last built.
 * @returns path of a program for Node, with the command line of `npm run service`
 */
export const serviceProgram = async () => await (building ??= buildProgram());

let building: Promise<string> | undefined;

async function buildProgram(): Promise<string> {
	const program = join(cache, `${fingerprint()}.mjs`);
	if (existsSync(program)) return program;

	// Others may build it at the same time, and none may start half a program.
	const unfinished = `${program}.${process.pid}`;
	mkdirSync(cache, { recursive: true });
	await build({
		entryPoints: [join(source, 'main.ts')],
		outfile: unfinished,
		bundle: true,
		platform: 'node',
		format: 'esm',
		target: 'node20',
		// Packages that are CommonJS ask for Node's own modules by `require`, which a module lacks.
		banner: {
			js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
		},
		logLevel: 'error',
	});
	const outdated = readdirSync(cache).filter((name) => name.endsWith('.mjs'));
	for (const name of outdated) rmSync(join(cache, name), { force: true });
	renameSync(unfinished, program);
	return program;
}
