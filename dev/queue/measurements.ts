import Table from 'cli-table3';
import { measure, type Outcome } from '../measure/measure.ts';
import { untilQuiet } from '../measure/quiet.ts';
import { queueScenarios } from './bench.ts';

const roundCount = 3;
const patienceMs = 15_000;

function tableOf({ contenders, goals }: Outcome): string {
	const table = new Table({
		head: ['per execution, median', ...contenders.map(({ name }) => name)],
		style: { head: [], border: [] },
	});
	for (const quantity of Object.keys(contenders[0].quantities)) {
		table.push([
			quantity,
			...contenders.map(({ quantities }) => quantities[quantity].median.toFixed(2)),
		]);
	}
	const verdicts = goals.map(
		({ text, measured, reached }) =>
			`${reached ? 'Reached' : 'NOT reached'}: ${text} (${measured.median.toFixed(2)})`,
	);
	return [table.toString(), ...verdicts].join('\n');
}

/** @returns whether every goal was reached */
export async function measureQueue(): Promise<boolean> {
	const outcomes: Outcome[] = [];
	for (const open of Object.values(queueScenarios)) {
		const scenario = await open();
		console.log(`\n${scenario.title}`);
		const outcome = await measure(scenario, roundCount, {
			untilQuiet: async () => await untilQuiet(patienceMs),
			log: console.log,
		});
		console.log(tableOf(outcome));
		outcomes.push(outcome);
	}
	return outcomes.every(({ goals }) => goals.every(({ reached }) => reached));
}
