import type { Goal, Outcome, Statistics } from './measure.ts';

const number = (value: number) => String(Number(value.toPrecision(3)));

const spread = ({ median, lowest, highest }: Statistics) =>
	`${number(median)} (${number(lowest)}–${number(highest)})`;

const bound = ({ atLeast, atMost }: Goal) =>
	atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;

/** What each contender took: median, lowest and highest of all rounds. */
export const measurements = (outcomes: Outcome[]) =>
	outcomes.flatMap(({ title, contenders }) =>
		contenders.map(({ name, nodes, quantities }) => ({
			...{ Job: title, 'Done by': name, Nodes: nodes },
			...Object.fromEntries(
				Object.entries(quantities).map(([key, values]) => [key, spread(values)]),
			),
		})),
	);

/** Whether the goals are reached; ratios are taken within each round. */
export const goals = (outcomes: Outcome[]) =>
	outcomes.flatMap((outcome) =>
		outcome.goals.map((goal) => ({
			...{ Job: outcome.title, Of: `${outcome.quantity} of ${goal.of}`, 'By that of': goal.by },
			...{ Goal: bound(goal), Measured: spread(goal.measured), Reached: goal.reached },
		})),
	);
