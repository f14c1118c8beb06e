/** One way of doing a job. */
export interface Contender {
	name: string;
	/** Nodes that a user has to put into the flow. */
	nodes?: number;
	/** @returns what it took, in the unit of the scenario */
	run: () => Promise<number>;
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
	unit: 'seconds' | 'megabytes';
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
	unit: Scenario['unit'];
	contenders: Array<{ name: string; nodes?: number; took: Statistics }>;
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

/** @param rounds what each contender took, by its name */
function judged(goal: Goal, rounds: Array<Record<string, number>>) {
	const measured = statistics(
		rounds.map((took) => (goal.by ? took[goal.of] / took[goal.by] : took[goal.of])),
	);
	const { atLeast = -Infinity, atMost = Infinity } = goal;
	const reached = measured.median >= atLeast && measured.median <= atMost;
	return { ...goal, measured, reached };
}

/** Runs all contenders of a scenario round by round: whatever slows the machine down hits them alike. */
export async function measure(scenario: Scenario, roundsOfLongJobs: number): Promise<Outcome> {
	console.log(`\n${scenario.title}`);
	const { title, unit, contenders, warmUps = 1, roundsForOne = 1 } = scenario;
	const rounds: Array<Record<string, number>> = [];
	for (let round = -warmUps; round < roundsForOne * roundsOfLongJobs; round++) {
		const took: Record<string, number> = {};
		for (const { name, run } of inTurn(contenders, round + warmUps)) {
			await scenario.prepare?.(round);
			took[name] = await run();
			await scenario.check?.();
			const when = round < 0 ? 'warm-up' : `round ${round + 1}`;
			console.log(`  ${when} ${name}: ${took[name]} ${unit}`);
		}
		if (round >= 0) rounds.push(took);
	}
	return {
		...{ title, unit },
		contenders: contenders.map(({ name, nodes }) => ({
			...{ name, nodes },
			took: statistics(rounds.map((took) => took[name])),
		})),
		goals: scenario.goals.map((goal) => judged(goal, rounds)),
	};
}
