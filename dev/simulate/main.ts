import './n8nFolder.ts';
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import { isClean, textOf, wrongs } from './figures.ts';
import { simulate, startWorker, textOfWrong } from './run.ts';

const wholeNumber = wholeNumberFrom(0);

const options = new Command('npm run simulate --')
	.description(
		[
			'Runs the node through thousands of operations in virtual time,',
			'against a service on which everything goes wrong,',
			'and compares what it says with what the service did.',
		].join(' '),
	)
	.option('--seed <number>', 'the same seed repeats everything exactly', wholeNumber, 1)
	.option(
		'--sockets',
		'on real ones and in real time, for streams, connections and memory; ends at the first wrong',
	)
	.option('--operations <number>', '(default: 10000, on sockets 600)', wholeNumber)
	.option('--workers <number>', 'processes', wholeNumber, availableParallelism())
	.option('--episode <number>', 'only this one, with all of its requests', wholeNumber)
	.parse()
	.opts<{
		seed: number;
		sockets?: true;
		operations?: number;
		workers: number;
		episode?: number;
	}>();

// On sockets, the clock is put on by what the node's waits are shortened.
const realNow = performance.now.bind(performance);
const startedAt = realNow();
const seconds = () => (realNow() - startedAt) / 1000;

async function simulateInWorkers() {
	let saidAt = 0;
	const isOne = options.episode !== undefined;
	const workers = await Promise.all(
		Array.from({ length: isOne ? 1 : options.workers }, startWorker),
	);
	return await simulate({
		...options,
		operations: options.operations ?? 10_000,
		workers,
		mostWrong: 5,
		onReport: (report, { operations }) => {
			if (isOne) console.log(report.trace.join('\n'));
			if (!isClean(report.figures)) console.error(textOfWrong(options.seed, report));
			if (seconds() - saidAt < 5) return;
			saidAt = seconds();
			console.error(`${operations} operations, ${Math.round(operations / saidAt)} in a second`);
		},
	});
}

async function simulateHere() {
	// It loads n8n, which takes long.
	const { simulateOnSockets } = await import('./sockets.ts');
	const figures = await simulateOnSockets(options.seed, options.operations ?? 600);
	for (const { wrong, what } of figures.violations) console.error(`${wrongs[wrong]}: ${what}`);
	return figures;
}

const sum = await (options.sockets ? simulateHere() : simulateInWorkers());
console.log(`seed ${options.seed}, ${Math.round(seconds())} s`);
console.log(textOf(sum));
process.exit(isClean(sum) ? 0 : 1);
