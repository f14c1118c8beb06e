/** Breaks rules of the node on purpose, one after the other, to see that the simulation notices. */
import '../simulate/n8nFolder.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { BrokenFile } from '../simulate/node.ts';
import { simulate, startWorker } from '../simulate/run.ts';
import { brokenFiles } from './brokenFiles.ts';
import { mutations } from './mutations.ts';

const PROCESSES = 2;

const { only, seconds } = new Command('npm run mutations --')
	.description('Breaks rules of the node on purpose, one after the other, in a copy.')
	.option('--only <text>', 'those whose description has this in it', '')
	.option('--seconds <number>', 'within which each is to be noticed', Number, 60)
	.parse()
	.opts<{ only: string; seconds: number }>();

const start = async () => await Promise.all(Array.from({ length: PROCESSES }, startWorker));
let workers = await start();

/** What the simulation finds in a node of which this is broken, and after how long. */
async function simulated(broken: BrokenFile[]) {
	const startedAt = performance.now();
	const finding = simulate({
		seed: 1,
		operations: 1_000_000,
		workers,
		broken,
		mostWrong: 1,
		until: startedAt + 1000 * seconds,
	});
	// What hangs in real time ends with its process.
	const figures = await Promise.race([finding, sleep(2000 * seconds)]);
	const took = `${Math.round((performance.now() - startedAt) / 1000)} s`;
	if (!figures) {
		finding.catch(() => {});
		for (const worker of workers) worker.stop();
		workers = await start();
		return { after: took, found: ['hangs'], violations: [] };
	}
	const { violations, operations } = figures;
	const found: string[] = [...new Set(violations.map(({ wrong }) => wrong))];
	return { after: `${operations} operations, ${took}`, found, violations };
}

let areNoticed = true;
const unbroken = { breaks: 'is as it is', changes: {}, moves: [] };
const wanted = mutations.filter(({ breaks }) => breaks.includes(only));
if (wanted.length === 0) throw new Error(`No mutation has '${only}' in its description`);
for (const { breaks, changes, moves } of [unbroken, ...wanted]) {
	const { found, after, violations } = await simulated(brokenFiles(changes));
	const isRight =
		moves.length === 0
			? found.length === 0
			: [...moves, 'hangs'].some((wrong) => found.includes(wrong));
	areNoticed &&= isRight;
	const what = `${found.join() || 'nothing'} after ${after}`;
	console.log(`${isRight ? 'as it should' : 'WRONG'} · a node that ${breaks}: ${what}`);
	if (moves.length === 0) for (const violation of violations) console.log(violation.what);
}
for (const worker of workers) worker.stop();
process.exit(areNoticed ? 0 : 1);
