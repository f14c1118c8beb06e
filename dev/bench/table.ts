import type { Goal, Outcome, Statistics } from './measure.ts';

const number = (value: number) => String(Number(value.toPrecision(3)));

const spread = ({ median, lowest, highest }: Statistics) =>
	`${number(median)} (${number(lowest)}–${number(highest)})`;

const bound = ({ atLeast, atMost }: Goal) =>
	atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;

/** What each contender took: median, lowest and highest of all rounds. */
export const measurements = (outcomes: Outcome[]) =>
	outcomes.flatMap(({ title, unit, contenders }) =>
		contenders.map(({ name, nodes, took }) => ({
			...{ Job: title, 'Done by': name, Nodes: nodes, [unit]: spread(took) },
		})),
	);

/** Whether the goals are reached; ratios are taken within each round. */
export const goals = (outcomes: Outcome[]) =>
	outcomes.flatMap((outcome) =>
		outcome.goals.map((goal) => ({
			...{ Job: outcome.title, Of: `${outcome.unit} of ${goal.of}`, 'By that of': goal.by },
			...{ Goal: bound(goal), Measured: spread(goal.measured), Reached: goal.reached },
		})),
	);
