import './n8nFolder.ts';
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import { isClean, textOf } from './figures.ts';
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
	.option('--operations <number>', '', wholeNumber, 10_000)
	.option('--workers <number>', 'processes', wholeNumber, availableParallelism())
	.option('--episode <number>', 'only this one, with all of its requests', wholeNumber)
	.parse()
	.opts<{ seed: number; operations: number; workers: number; episode?: number }>();

const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;
let saidAt = 0;
const isOne = options.episode !== undefined;
const workers = await Promise.all(Array.from({ length: isOne ? 1 : options.workers }, startWorker));
const sum = await simulate({
	...options,
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
console.log(`seed ${options.seed}, ${Math.round(seconds())} s`);
console.log(textOf(sum));
process.exit(isClean(sum) ? 0 : 1);
