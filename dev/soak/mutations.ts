/** Rules of the node that are broken on purpose, to see that the soak notices. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
	'credentials',
	'nodes',
	'test/support',
	'test/reliability',
	'dev/service',
	'dev/soak',
];
const COPIED_FILES = ['package.json', 'tsconfig.json', 'dev/package.json', 'dev/tsconfig.json'];
const LINKED = ['node_modules', 'dev/node_modules', 'examples'];
const OPERATIONS = 600;
const TRANSPORT = 'nodes/DocumentExtraction/transport';

interface Patch {
	file: string;
	from: string;
	to: string;
}

const mutations: Record<string, Patch[]> = {
	'repeat writes after a 500': [
		{
			file: `${TRANSPORT}/request.ts`,
			from: "(repeat === 'reads' && !nature.isWrite)",
			to: "repeat === 'reads'",
		},
	],
	'drop the cap of the jitter': [
		{
			file: `${TRANSPORT}/pacing.ts`,
			from: 'Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1))',
			to: '(FIRST_HOLD_MS * 2 ** (attempt - 1))',
		},
	],
	'send a consumed stream again': [
		{
			file: `${TRANSPORT}/request.ts`,
			from: 'const attempt = async (): Promise<Judgement<T>> => {\n\t\tconst body = await payload();',
			to: 'const body = await payload();\n\tconst attempt = async (): Promise<Judgement<T>> => {',
		},
	],
	'follow redirects with the key': [
		{
			file: `${TRANSPORT}/request.ts`,
			from: 'disableFollowRedirect: true',
			to: 'disableFollowRedirect: false',
		},
		{
			file: 'credentials/DocumentExtractionApi.credentials.ts',
			from: 'sendCredentialsOnCrossOriginRedirect: false',
			to: 'sendCredentialsOnCrossOriginRedirect: true',
		},
	],
	'swallow a failed page': [
		{
			file: `${TRANSPORT}/pages.ts`,
			from: '\t\t\t\tend = 0;\n\t\t\t\tthrow error;',
			to: '\t\t\t\tvoid error;\n\t\t\t\treturn { ...first, items: [] };',
		},
		{ file: `${TRANSPORT}/pages.ts`, from: 'if (isComplete && (', to: 'if (isComplete || (' },
	],
	'hide that the outcome of a write is unknown': [
		{
			file: `${TRANSPORT}/errors.ts`,
			from: "if (!call.shownBy || explanation.repeat !== 'reads' || isRefusal)",
			to: 'if (call || isRefusal)',
		},
	],
	'hand signed URLs on': [
		{
			file: `${TRANSPORT}/upload.ts`,
			from: 'withoutSignedUrls(upload.answer)',
			to: 'upload.answer',
		},
	],
	'drop the file of a failed item': [
		{
			file: 'nodes/DocumentExtraction/DocumentExtraction.node.ts',
			from: 'binary: binary ?? input.binary',
			to: 'binary: binary && undefined',
		},
	],
};

async function mutatedCopy(patches: Patch[]): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'soak-mutation-'));
	for (const path of [...COPIED, ...COPIED_FILES]) {
		await cp(join(ROOT, path), join(folder, path), { recursive: true });
	}
	for (const path of LINKED) await symlink(join(ROOT, path), join(folder, path));
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

/** Whether the soak is clean without a mutation and finds something with each of them. */
export async function runMutations(seed: number): Promise<boolean> {
	let areNoticed = true;
	for (const [name, patches] of Object.entries({ 'no mutation': [], ...mutations })) {
		const folder = await mutatedCopy(patches);
		const { exitCode, stdout, stderr } = await execa(
			join(ROOT, 'node_modules/.bin/tsx'),
			['dev/soak/main.ts', '--seed', String(seed), '--operations', String(OPERATIONS)],
			{ cwd: folder, reject: false },
		);
		await rm(folder, { recursive: true, force: true });
		const isFound = exitCode === 1 && stdout.includes('operations ');
		const isExpected = patches.length > 0 ? isFound : exitCode === 0;
		areNoticed &&= isExpected;
		const figures = stdout.split('\n').slice(-6).join(', ') || stderr.slice(-500);
		console.log(`${isExpected ? 'as expected' : 'NOT AS EXPECTED'} · ${name}: ${figures}`);
	}
	return areNoticed;
}
