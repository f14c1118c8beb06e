import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { ServiceFlags } from './serviceContract';

// The demo and the end-to-end tests load this file through tsx, where `__dirname` is no folder.
const dev = resolve(dirname(__filename), '../../dev');
const source = join(dev, 'service');
const cache = join(dev, '.cache', 'service');

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
 * The simulated service in one file: it starts in a fraction of the time that its source takes.
 * Built where its source or a package has changed since it was last built.
 * @returns the path of a program for Node, with the command line of `npm run service`
 */
export const serviceProgram = async () => await (building ??= buildProgram());

let building: Promise<string> | undefined;

async function buildProgram(): Promise<string> {
	const program = join(cache, `service-${fingerprint()}.mjs`);
	if (existsSync(program)) return program;

	const unfinished = join(cache, `unfinished-${process.pid}.mjs`);
	await build({
		entryPoints: [join(source, 'main.ts')],
		outfile: unfinished,
		bundle: true,
		platform: 'node',
		format: 'esm',
		target: 'node20',
		// Packages that are CommonJS ask for Node's own modules by `require`, which a module lacks.
		banner: {
			js: [
				"import { createRequire as requireFrom } from 'node:module';",
				'const require = requireFrom(import.meta.url);',
			].join(' '),
		},
		logLevel: 'error',
	});
	// Others may build it at the same time, and none may start half a program.
	renameSync(unfinished, program);
	for (const name of readdirSync(cache)) {
		const isOutdated = name.startsWith('service-') && name !== basename(program);
		if (isOutdated) rmSync(join(cache, name), { force: true });
	}
	return program;
}

export interface Addresses {
	url: string;
	storageUrl: string;
	controlUrl: string;
	/** With TLS. */
	caFile?: string;
}

function commandLine(flags: ServiceFlags): string[] {
	return Object.entries(flags).flatMap(([name, value]: [string, unknown]) => {
		const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
		if (typeof value === 'boolean') return value ? [flag] : [];
		return value === undefined ? [] : [flag, String(value)];
	});
}

/**
 * The simulated service, in a process of its own, which ends with this one at the latest.
 * @returns where it is, and how to end it, which fails if it has complained of anything
 */
export async function startServiceProcess(flags: ServiceFlags) {
	const program = await serviceProgram();
	const parameters = ['--json', '--exit-with-parent', ...commandLine(flags)];
	const child = spawn(process.execPath, [program, ...parameters], {
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	let hasComplained = false;
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		hasComplained = true;
		process.stderr.write(text);
	});
	// By then all that it has printed is read.
	const ended = once(child, 'close');
	const [line] = await Promise.race([
		once(createInterface(child.stdout), 'line'),
		ended.then(([code, signal]) => {
			throw new Error(`The simulated service ended (${code ?? signal}) too soon: see above why.`);
		}),
	]);
	return {
		addresses: JSON.parse(String(line)) as Addresses,
		stop: async () => {
			child.kill();
			await ended;
			if (hasComplained) throw new Error('The simulated service complained: see above.');
		},
	};
}
