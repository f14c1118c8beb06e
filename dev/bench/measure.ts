/** What one run of a contender gave, by quantity: seconds, megabytes. */
type Sample = Record<string, number>;

/** One way of doing a job. */
export interface Contender {
	name: string;
	/** Nodes that a user has to put into the flow. */
	nodes?: number;
	run: () => Promise<Sample>;
}

/** What must hold of what a contender took, or of its ratio to what another took in the same round. */
export interface Goal {
	of: string;
	by?: string;
	atLeast?: number;
	atMost?: number;
}

/** A job that several contenders do in turn. */
export interface Scenario {
	title: string;
	/** The one that goals are about. */
	quantity: string;
	/** Runs before each contender's turn. */
	prepare?: (round: number) => Promise<void>;
	/** Runs after each contender's turn. It throws unless the service has what was to be sent. */
	check?: () => Promise<void>;
	contenders: Contender[];
	goals: Goal[];
	/** Runs without being counted, before the first round. */
	warmUps?: number;
	/** How many rounds a job has for each one of a long job: what takes a second scatters more. */
	roundsForOne?: number;
}

export interface Statistics {
	median: number;
	lowest: number;
	highest: number;
}

export interface Outcome {
	title: string;
	quantity: string;
	contenders: Array<{ name: string; nodes?: number; quantities: Record<string, Statistics> }>;
	goals: Array<Goal & { measured: Statistics; reached: boolean }>;
}

function statistics(values: number[]): Statistics {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const median =
		sorted.length % 2 === 1
			? sorted[Math.floor(middle)]
			: (sorted[middle - 1] + sorted[middle]) / 2;
	return { median, lowest: sorted[0], highest: sorted[sorted.length - 1] };
}

/** In another order each round, each second time backwards: none always follows the same one. */
function inTurn<T>(entries: T[], round: number): T[] {
	const start = Math.floor(round / 2) % entries.length;
	const turned = [...entries.slice(start), ...entries.slice(0, start)];
	return round % 2 === 0 ? turned : turned.reverse();
}

function judged(goal: Goal, quantity: string, rounds: Array<Map<string, Sample>>) {
	const measured = statistics(
		rounds.map((samples) => {
			const value = quantityOf(samples, goal.of, quantity);
			return goal.by ? value / quantityOf(samples, goal.by, quantity) : value;
		}),
	);
	const { atLeast = -Infinity, atMost = Infinity } = goal;
	const reached = measured.median >= atLeast && measured.median <= atMost;
	return { ...goal, measured, reached };
}

function quantityOf(samples: Map<string, Sample>, contender: string, quantity: string): number {
	const value = samples.get(contender)?.[quantity];
	if (value === undefined) throw new Error(`'${contender}' gave no ${quantity}.`);
	return value;
}

/** Runs all contenders of a scenario round by round: whatever slows the machine down hits them alike. */
export async function measure(scenario: Scenario, roundsOfLongJobs: number): Promise<Outcome> {
	console.log(`\n${scenario.title}`);
	const { title, quantity, contenders, warmUps = 1, roundsForOne = 1 } = scenario;
	const roundCount = roundsForOne * roundsOfLongJobs;
	const rounds: Array<Map<string, Sample>> = [];
	for (let round = -warmUps; round < roundCount; round++) {
		const samples = new Map<string, Sample>();
		for (const { name, run } of inTurn(contenders, round + warmUps)) {
			await scenario.prepare?.(round);
			const sample = await run();
			await scenario.check?.();
			samples.set(name, sample);
			console.log(`  ${round < 0 ? 'warm-up' : `round ${round + 1}`} ${name}:`, sample);
		}
		if (round >= 0) rounds.push(samples);
	}
	return {
		...{ title, quantity },
		contenders: contenders.map(({ name, nodes }) => ({
			name,
			nodes,
			quantities: Object.fromEntries(
				Object.keys(rounds[0].get(name) ?? {}).map((key) => [
					key,
					statistics(rounds.map((samples) => quantityOf(samples, name, key))),
				]),
			),
		})),
		goals: scenario.goals.map((goal) => judged(goal, quantity, rounds)),
	};
}
