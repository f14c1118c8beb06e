/** Breaks rules of the node on purpose, one after the other, to see that somebody notices. */
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { execa } from 'execa';
import { setTimeout as sleep } from 'node:timers/promises';
import { useN8nFolder } from '../../test/support/n8nSettings.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import type { BrokenFile } from '../simulate/node.ts';
import { simulate, Worker } from '../simulate/run.ts';
import { brokenFiles } from './brokenFiles.ts';
import { clockBack, limited, mutations } from './mutations.ts';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DISASTERS_MINUTES = 0.5;

const wholeNumber = wholeNumberFrom(1);

const options = new Command('npm run mutations --')
	.description('Breaks rules of the node on purpose, one after the other, in a copy.')
	.addOption(
		new Option('--for <whom>', 'who has to notice')
			.choices(['simulate', 'chaos'])
			.default('simulate'),
	)
	.option('--seed <number>', 'of the simulation, or of chaos', wholeNumber, 1)
	.option('--seconds <number>', 'within which it is to be noticed', wholeNumber, 60)
	.option('--operations <number>', 'of the simulation, at most', wholeNumber, 1_000_000)
	.option('--workers <number>', 'processes of the simulation', wholeNumber, 2)
	.option('--only <text>', 'those whose description has this in it', '')
	.parse()
	.opts<{
		for: 'simulate' | 'chaos';
		seed: number;
		seconds: number;
		operations: number;
		workers: number;
		only: string;
	}>();

const chosen = mutations.filter(({ breaks }) => breaks.includes(options.only));

async function forSimulate(): Promise<boolean> {
	useN8nFolder(await temporaryFolder('mutations'));
	const start = async () =>
		await Promise.all(Array.from({ length: options.workers }, async () => await Worker.start()));
	let workers = await start();

	/** What the simulation finds in a node of which this is broken, and after how long. */
	const simulated = async (broken: BrokenFile[]) => {
		const startedAt = performance.now();
		const limitMs = options.seconds * 1000;
		const finding = simulate({
			...options,
			workers,
			broken,
			mostWrong: 1,
			until: startedAt + limitMs,
		});
		// What hangs in real time ends with its process.
		const figures = await Promise.race([finding, sleep(2 * limitMs)]);
		const seconds = Math.round((performance.now() - startedAt) / 1000);
		if (!figures) {
			finding.catch(() => {});
			for (const worker of workers) worker.stop();
			workers = await start();
			return { after: `${seconds} s`, found: ['hangs'], violations: [] };
		}
		const found = Object.entries(figures.wrongs).flatMap(([wrong, count]) =>
			count > 0 ? [wrong] : [],
		);
		const after = `${figures.operations} operations, ${seconds} s`;
		return { after, found, violations: figures.violations };
	};

	let areNoticed = true;
	const say = (
		isRight: boolean,
		breaks: string,
		{ found, after }: { found: string[]; after: string },
	) => {
		areNoticed &&= isRight;
		const what = `${found.join() || 'nothing'} after ${after}`;
		console.log(`${isRight ? 'as it should' : 'WRONG'} · a node that ${breaks}: ${what}`);
	};
	const unbroken = await simulated([]);
	for (const { what } of unbroken.violations) console.log(what);
	say(unbroken.found.length === 0, 'is as it is', unbroken);
	for (const { breaks, changes, moves } of chosen) {
		const result = await simulated(brokenFiles(changes));
		const isNoticed = [...moves, 'hangs'].some((wrong) => result.found.includes(wrong));
		say(isNoticed, breaks, result);
	}
	for (const worker of workers) worker.stop();
	return areNoticed;
}

/** The package with this broken, as it would be published. */
async function brokenPackage(broken: BrokenFile[]): Promise<string> {
	const copy = await temporaryFolder('broken-sources');
	const copied = ['credentials', 'nodes', 'icons', 'package.json', 'tsconfig.json', 'gulpfile.js'];
	for (const path of copied) await cp(join(ROOT, path), join(copy, path), { recursive: true });
	for (const { file, text } of broken) await writeFile(join(copy, file), text);
	await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
	await execa('npm', ['run', 'build'], { cwd: copy });
	const destination = await temporaryFolder('broken-node');
	const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', destination];
	const { stdout } = await execa('npm', pack, { cwd: copy });
	const [packed] = JSON.parse(stdout) as Array<{ filename: string }>;
	return join(destination, packed.filename);
}

/** Those that chaos has to notice as well, since processes and n8n's own storage take part in them. */
async function forChaos(): Promise<boolean> {
	const { chaos } = await import('../cluster/chaos.ts');
	const { faultsOf } = await import('../cluster/report.ts');
	const unbroken = { breaks: 'is as it is', broken: [], moves: undefined };
	const all = [
		{ ...unbroken, disasters: ['service cut off from its answers', clockBack, limited] },
		...chosen.flatMap(({ breaks, changes, chaos: own }) =>
			own ? [{ breaks, broken: brokenFiles(changes), moves: own.moves, disasters: [own.by] }] : [],
		),
	];
	// All at first: what does not build any more is known at once.
	const packages: string[] = [];
	for (const { broken } of all) packages.push(await brokenPackage(broken));

	let areNoticed = true;
	for (const [index, { breaks, moves, disasters }] of all.entries()) {
		const faults: Record<string, number> = faultsOf(
			await chaos({
				seed: options.seed,
				minutes: DISASTERS_MINUTES,
				logFolder: join(ROOT, 'dev/cluster/logs', `mutation-${index}`),
				only: disasters,
				nodePackage: packages[index],
			}),
		);
		const moved = Object.keys(faults).filter((fault) => faults[fault] > 0);
		const isRight = moves ? moved.includes(moves) : moved.length === 0;
		areNoticed &&= isRight;
		console.log(
			`${isRight ? 'as it should' : 'WRONG'} · a node that ${breaks}: ${moved.join() || 'nothing'}`,
		);
	}
	return areNoticed;
}

process.exit((await (options.for === 'chaos' ? forChaos() : forSimulate())) ? 0 : 1);
