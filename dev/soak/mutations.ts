/** Rules of the node that are broken on purpose, to see that the soak notices. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { wrongs, type Wrong } from './figures.ts';
import { mutatedCopy, type Patch } from './mutatedCopy.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
	'credentials',
	'nodes',
	'test/support',
	'test/reliability',
	'dev/service',
	'dev/soak',
	'package.json',
	'tsconfig.json',
	'dev/package.json',
	'dev/package-lock.json',
	'dev/tsconfig.json',
];
const LINKED = ['node_modules', 'dev/node_modules', 'examples'];
/** As many as it takes to meet each of them. */
const OPERATIONS = 600;
const NODE = 'nodes/DocumentExtraction';
const HTTP = `${NODE}/http`;
const API = `${NODE}/api`;

interface Mutation {
	breaks: string;
	/** One of these figures must not be 0 then. */
	moves: Wrong[];
	patches: Patch[];
}

const mutations: Mutation[] = [
	{
		breaks: 'repeats writes after a 500',
		moves: ['doubled'],
		patches: [
			{
				file: `${NODE}/http/retry.ts`,
				from: "(failure.retry === 'reads' && !this.isWrite)",
				to: "failure.retry === 'reads'",
			},
		],
	},
	{
		breaks: 'drops the cap of the jitter',
		moves: ['overlong'],
		patches: [
			{
				file: `${NODE}/http/limiter.ts`,
				from: 'Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1))',
				to: '(FIRST_HOLD_MS * 2 ** (attempt - 1))',
			},
		],
	},
	{
		breaks: 'sends a consumed stream again',
		moves: ['unexplained'],
		patches: [
			{
				file: `${NODE}/actions/inputFiles.ts`,
				from: 'return { ...about, open };',
				to: 'const stream = await open();\n\t\treturn { ...about, open: async () => stream };',
			},
		],
	},
	{
		breaks: 'follows redirects with the key',
		moves: ['leaked'],
		patches: [
			{
				file: `${NODE}/api/service.ts`,
				from: 'disableFollowRedirect: true',
				to: 'disableFollowRedirect: false',
			},
			...[
				['disableFollowRedirect: true', 'disableFollowRedirect: false'],
				['maxRedirects: 0', 'maxRedirects: 5'],
				[
					'sendCredentialsOnCrossOriginRedirect: false',
					'sendCredentialsOnCrossOriginRedirect: true',
				],
			].map(([from, to]) => ({ file: `${NODE}/api/authenticate.ts`, from, to })),
		],
	},
	{
		breaks: 'swallows a failed page',
		moves: ['lost'],
		patches: [
			{
				file: `${NODE}/api/pages.ts`,
				from: 'await readPage(reading, number);',
				to: 'await readPage(reading, number).catch(() => ({ ...first, items: [] }));',
			},
			// A page that is missing would be noticed all the same: the rows are counted.
			{ file: `${NODE}/api/pages.ts`, from: 'isComplete && (', to: '(' },
		],
	},
	{
		breaks: 'hides that the outcome of a write is unknown',
		moves: ['lost'],
		patches: [
			{
				file: `${NODE}/api/errors/failedCall.ts`,
				from: 'call.isWrite && call.shownBy !== undefined && failure.mayHaveBeenDone',
				to: 'false',
			},
		],
	},
	{
		breaks: 'hands signed URLs on',
		moves: ['leaked'],
		patches: [
			{
				file: `${NODE}/api/upload.ts`,
				from: 'withoutSignedUrls(upload.response, upload.url)',
				to: 'upload.response',
			},
		],
	},
	{
		breaks: 'drops the file of a failed item',
		moves: ['fileless'],
		patches: [
			{
				file: `${NODE}/DocumentExtraction.node.ts`,
				from: 'files = binary ?? input.binary',
				to: 'files = binary && undefined',
			},
		],
	},
	{
		breaks: 'waits for ever for what stalls',
		moves: ['unexplained'],
		patches: [
			{
				file: `${HTTP}/transfer.ts`,
				from: 'if (this.ticks <= this.allowedUntil) return;',
				to: 'if (this.ticks > 0) return;',
			},
		],
	},
	{
		breaks: 'cuts uploads that move, but slowly',
		moves: ['unexplained'],
		patches: [
			{
				file: `${HTTP}/payload.ts`,
				from: "AsyncIterable<Buffer>) {\n\t\t\t\ttransfer.allow(IDLE_LIMIT_MS, 'sending');",
				to: 'AsyncIterable<Buffer>) {',
			},
		],
	},
	{
		breaks: 'takes documents that wait their turn for extracted',
		moves: ['lost'],
		patches: [
			{
				file: `${API}/waiting/documents.ts`,
				from: '} else if (sawExtracting) {',
				to: '} else {',
			},
			{
				file: `${API}/waiting/documents.ts`,
				from: 'EMPTY_SETTLE_TIMES = 10',
				to: 'EMPTY_SETTLE_TIMES = 1',
			},
		],
	},
	{
		breaks: 'takes results that were there before for new ones',
		moves: ['lost'],
		patches: [
			{
				file: `${API}/waiting/documents.ts`,
				from: 'if (extracted.length === 0) return { areNew: true };',
				to: 'if (extracted) return { areNew: true };',
			},
		],
	},
	{
		breaks: 'forgets under Retry On Fail that an outcome is unknown',
		moves: ['doubled'],
		patches: [
			{
				file: `${API}/memory.ts`,
				from: 'const isKnownUndone =',
				to: 'const isKnownUndone = outcome.error ||',
			},
		],
	},
];

/** How often each wrong happened to the node with these patches. */
async function soakOf(patches: Patch[], seed: number): Promise<Map<Wrong, number>> {
	const folder = await mutatedCopy({ copied: COPIED, linked: LINKED, patches });
	const { stdout, stderr, exitCode, signal } = await execa(
		join(ROOT, 'node_modules/.bin/tsx'),
		['dev/soak/main.ts', '--seed', String(seed), '--operations', String(OPERATIONS)],
		{ cwd: folder, reject: false },
	);
	await rm(folder, { recursive: true, force: true });
	const entries = Object.entries(wrongs) as Array<[Wrong, string]>;
	return new Map(
		entries.map(([wrong, name]) => {
			const figure = new RegExp(`^${name} (\\d+)$`, 'm').exec(stdout)?.[1];
			if (figure === undefined) {
				throw new Error(`The soak gave no figures (${exitCode ?? signal}): ${stderr.slice(-1000)}`);
			}
			return [wrong, Number(figure)];
		}),
	);
}

function textOf(figures: Map<Wrong, number>): string {
	return [...figures].map(([wrong, count]) => `${wrongs[wrong]} ${count}`).join(', ');
}

/** Whether the soak is clean without a mutation, and each mutation moves the figure that it should. */
export async function runMutations(seed: number): Promise<boolean> {
	const unbroken = await soakOf([], seed);
	let areNoticed = [...unbroken.values()].every((count) => count === 0);
	console.log(`${areNoticed ? 'clean' : 'NOT CLEAN'} · the node as it is: ${textOf(unbroken)}`);
	for (const { breaks, moves, patches } of mutations) {
		const figures = await soakOf(patches, seed);
		const isNoticed = moves.some((wrong) => (figures.get(wrong) ?? 0) > 0);
		areNoticed &&= isNoticed;
		console.log(
			`${isNoticed ? 'noticed' : 'NOT NOTICED'} · a node that ${breaks}: ${textOf(figures)}`,
		);
	}
	return areNoticed;
}
