/** What must not happen, and how often it did. */
export const wrongs = {
	lost: 'lost',
	doubled: 'doubled',
	incomplete: 'incomplete results without a word',
	unexplained: 'failures without a reason',
	fileless: 'failed items without their file',
	leaked: 'leaked secrets',
	overlong: 'waits longer than allowed',
} as const;

export type Wrong = keyof typeof wrongs;

export interface Violation {
	wrong: Wrong;
	/** The number of the operation within its episode; absent where no one operation is to blame. */
	operation?: number;
	what: string;
}

const LONGEST_TEXT = 600;

/** What happened in a number of operations; plain, so that processes can send it to each other. */
export interface Figures {
	operations: number;
	/** Items. */
	done: number;
	failed: number;
	/** Requests that the service received. */
	calls: number;
	/** How often each fault was injected. */
	faults: Record<string, number>;
	/** How often each wrong happened. */
	wrongs: Record<Wrong, number>;
	/** A few of each wrong. */
	violations: Violation[];
}

export const noFigures = (): Figures => ({
	operations: 0,
	done: 0,
	failed: 0,
	calls: 0,
	faults: {},
	wrongs: Object.fromEntries(Object.keys(wrongs).map((wrong) => [wrong, 0])) as Figures['wrongs'],
	violations: [],
});

const MOST_EXAMPLES = 3;

export function note(figures: Figures, { wrong, operation, what }: Violation, count = 1) {
	if (figures.wrongs[wrong] < MOST_EXAMPLES) {
		figures.violations.push({ wrong, operation, what: what.slice(0, LONGEST_TEXT) });
	}
	figures.wrongs[wrong] += count;
}

export function add(sum: Figures, figures: Figures) {
	for (const name of ['operations', 'done', 'failed', 'calls'] as const) sum[name] += figures[name];
	for (const [fault, count] of Object.entries(figures.faults)) {
		sum.faults[fault] = (sum.faults[fault] ?? 0) + count;
	}
	for (const wrong of Object.keys(wrongs) as Wrong[]) sum.wrongs[wrong] += figures.wrongs[wrong];
	sum.violations.push(...figures.violations);
}

export function isClean(figures: Figures): boolean {
	return Object.values(figures.wrongs).every((count) => count === 0);
}

export function textOf(figures: Figures): string {
	const faults = Object.entries(figures.faults).sort();
	const injected = faults.reduce((sum, [, count]) => sum + count, 0);
	const each = faults.map((fault) => fault.join(' ')).join(', ');
	return [
		`operations ${figures.operations}: items done ${figures.done}, failed with a reason ${figures.failed}`,
		`calls that the service saw ${figures.calls}, faults injected ${injected} (${each})`,
		...Object.entries(wrongs).map(([wrong, name]) => `${name} ${figures.wrongs[wrong as Wrong]}`),
	].join('\n');
}
