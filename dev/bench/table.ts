import Table from 'cli-table3';
import type { Goal, Outcome, Statistics } from './measure.ts';

const digits = (value: number) => (Math.abs(value) >= 100 ? 0 : 2);
const number = (value: number) => value.toFixed(digits(value));

const spread = ({ median, lowest, highest }: Statistics) =>
	`${number(median)} (${number(lowest)}–${number(highest)})`;

const bound = ({ atLeast, atMost }: Goal) =>
	atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;

const plain = { head: [], border: [] };

/** What each contender took: median, lowest and highest of all rounds. */
export function measurementsTable(outcomes: Outcome[]): string {
	const table = new Table({ head: ['Job', 'Done by', 'Nodes', 'Measured'], style: plain });
	for (const { title, contenders } of outcomes) {
		for (const [index, { name, nodes, quantities }] of contenders.entries()) {
			const measured = Object.entries(quantities).map(
				([quantity, values]) => `${quantity} ${spread(values)}`,
			);
			table.push([index === 0 ? title : '', name, nodes ?? '', measured.join('\n')]);
		}
	}
	return table.toString();
}

/** Whether the goals are reached; ratios are taken within each round. */
export function goalsTable(outcomes: Outcome[]): string {
	const table = new Table({
		head: ['Job', 'Of', 'By that of', 'Goal', 'Measured', ''],
		style: plain,
	});
	for (const { title, quantity, goals } of outcomes) {
		for (const goal of goals) {
			const verdict = goal.reached ? 'reached' : 'MISSED';
			const of = `${quantity} of ${goal.of}`;
			table.push([title, of, goal.by ?? '', bound(goal), spread(goal.measured), verdict]);
		}
	}
	return table.toString();
}
