import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { endWithParent } from './endWithParent.ts';
import { withLock } from '../machine/lock.ts';

export interface NodeRuntime {
	binary: string;
	/** Native code that was built for another one does not load. */
	abi: string;
	env: Record<string, string>;
}

interface InstallOptions {
	folder: string;
	native?: string[];
	/** The Node that the native code is built by and for. */
	runtime?: NodeRuntime;
	announce: string;
}

const { CFLAGS = '', CXXFLAGS = '' } = process.env;
/** Half the time of -O3, and n8n asks little of SQLite here. Flags set by the machine come last, and win. */
const quickToCompile = { CFLAGS: `-O1 ${CFLAGS}`, CXXFLAGS: `-O1 ${CXXFLAGS}` };
/**
 * The marker is written last, and inside node_modules, which `npm ci` begins by removing: an
 * install that was interrupted, or that belongs to another lockfile, never carries a valid one.
 */
const markerFile = (folder: string) => join(folder, 'node_modules', '.complete');

async function expectedMarker({ folder, runtime }: InstallOptions) {
	const hash = createHash('sha256').update(await readFile(join(folder, 'package-lock.json')));
	return hash.update(runtime?.abi ?? '').digest('hex');
}

async function isComplete(options: InstallOptions) {
	const marker = await readFile(markerFile(options.folder), 'utf8').catch(() => '');
	return marker === (await expectedMarker(options));
}

async function npm(
	args: string[],
	{ folder, runtime }: InstallOptions,
	env: Record<string, string> = {},
) {
	try {
		await execa('npm', args, {
			...endWithParent,
			cwd: folder,
			env: { ...runtime?.env, ...endWithParent.env, ...env },
			all: true,
		});
	} catch (error) {
		const output = (error as { all?: string }).all ?? '';
		const help = 'Native parts need Python 3, make and a C++ compiler where no binary is offered.';
		throw new Error(`npm ${args.join(' ')} did not work in ${folder}.\n${output}\n${help}`);
	}
}

async function buildNative(native: string[], { binary }: NodeRuntime, options: InstallOptions) {
	// Said explicitly, because npm hands the settings of an outer `npm run` on to this one.
	await npm(['rebuild', '--ignore-scripts=false', ...native], options, quickToCompile);
	for (const name of native) {
		await execa(binary, ['--eval', `require('${name}')`], { cwd: options.folder });
	}
}

/** Installs a folder's lockfile once; later calls see that it is complete and return at once. */
export async function installPackageFolder(options: InstallOptions): Promise<void> {
	const { folder, native, runtime, announce } = options;
	if (await isComplete(options)) return;
	const onWait = () => console.log(`Another process is installing into ${folder}; waiting for it.`);
	await withLock(join(folder, '.installing'), onWait, async () => {
		if (await isComplete(options)) return;
		console.log(announce);
		await rm(markerFile(folder), { force: true });
		await npm(['ci', '--ignore-scripts'], options);
		if (native && runtime) await buildNative(native, runtime, options);
		await writeFile(markerFile(folder), await expectedMarker(options));
	});
}
