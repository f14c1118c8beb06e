/** Rules of the node that are broken on purpose, to see that chaos notices. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { mutatedCopy, type Patch } from '../soak/mutatedCopy.ts';
import { chaos } from './chaos.ts';
import { type Fault, type Faults, faultsOf } from './report.ts';

const node = 'nodes/DocumentExtraction';
const copied = ['credentials', 'nodes', 'icons', 'package.json', 'tsconfig.json', 'gulpfile.js'];
const minutes = 0.5;

interface Mutation {
	breaks: string;
	/** One of these must not be 0 then. */
	moves: Fault[];
	/** Names of the disasters that show it. */
	shownBy: string[];
	patches: Patch[];
}

const answersLost = 'service cut off from its answers';
const clockBack = 'clock of a worker set back';
const limited = 'service limited';

const mutations: Mutation[] = [
	{
		breaks: 'tries writes again whose outcome is unknown',
		moves: ['doubled without a word'],
		shownBy: [answersLost],
		patches: [
			{
				file: `${node}/http/retry.ts`,
				from: "(failure.retry === 'reads' && !this.isWrite)",
				to: "(failure.retry === 'reads' && (this.tries > 0 || !this.isWrite))",
			},
		],
	},
	{
		breaks: 'hides that the outcome of a write is unknown',
		moves: ['lost'],
		shownBy: [answersLost],
		patches: [
			{
				file: `${node}/api/errors/failedCall.ts`,
				from: 'call.isWrite && call.shownBy !== undefined && failure.mayHaveBeenDone;',
				to: "call.shownBy === '' && failure.mayHaveBeenDone;",
			},
		],
	},
	{
		breaks: 'gives no output for files that failed',
		moves: ['lost'],
		shownBy: [answersLost],
		patches: [
			{
				file: `${node}/actions/extraction/extractFromFiles.operation.ts`,
				from: 'return item.uploads.map((upload) => {',
				to: 'return item.uploads.filter(({ error }) => !error).map((upload) => {',
			},
		],
	},
	{
		breaks: 'waits by the time of day',
		moves: ['files in executions that hang'],
		shownBy: [clockBack],
		patches: [
			{
				file: `${node}/http/pause.ts`,
				from: 'const until = performance.now() + ms;',
				to: 'const until = Date.now() + ms;',
			},
			{
				file: `${node}/http/pause.ts`,
				from: 'left = until - performance.now()',
				to: 'left = until - Date.now()',
			},
		],
	},
	{
		breaks: 'goes on waiting for Max Wait when the results are there',
		moves: ['processes that hold more than before'],
		shownBy: [limited],
		patches: [{ file: `${node}/api/waiting/poll.ts`, from: '\tisDone.abort();\n', to: '' }],
	},
];

/** The package with these patches, as it would be published. */
async function mutatedPackage(patches: Patch[]): Promise<string> {
	const copy = await mutatedCopy({ copied, linked: ['node_modules'], patches });
	const destination = await temporaryFolder('mutated-node');
	await execa('npm', ['run', 'build'], { cwd: copy });
	const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', destination];
	const { stdout } = await execa('npm', pack, { cwd: copy });
	await rm(copy, { recursive: true, force: true });
	const [packed] = JSON.parse(stdout) as Array<{ filename: string }>;
	return join(destination, packed.filename);
}

const textOf = (faults: Faults) =>
	Object.entries(faults)
		.filter(([, count]) => count > 0)
		.map(([fault, count]) => `${fault} ${count}`)
		.join(', ') || 'nothing';

/** Whether chaos passes the node as it is, and each mutation moves the figure that it should. */
export async function runMutations(seed: number, logFolder: string): Promise<boolean> {
	const unbroken = { breaks: 'is as it is', moves: [], patches: [] };
	const all: Mutation[] = [
		{ ...unbroken, shownBy: [answersLost, clockBack, limited] },
		...mutations,
	];
	// All at first: what does not build any more is known at once.
	const packages: string[] = [];
	for (const { patches } of all) packages.push(await mutatedPackage(patches));

	const lines: string[] = [];
	let areNoticed = true;
	for (const [index, { breaks, moves, shownBy }] of all.entries()) {
		const nodePackage = packages[index];
		const faults = faultsOf(await chaos({ seed, minutes, logFolder, only: shownBy, nodePackage }));
		const isNoticed =
			moves.length > 0
				? moves.some((fault) => faults[fault])
				: Object.values(faults).every((count) => count === 0);
		areNoticed &&= isNoticed;
		lines.push(
			`${isNoticed ? 'as it should' : 'WRONG'} · a node that ${breaks}: ${textOf(faults)}`,
		);
		console.log(lines.at(-1));
	}
	console.log(`\n${lines.join('\n')}`);
	return areNoticed;
}
