/** What must not happen, and how often it did. */
export const wrongs = {
	lost: 'lost',
	doubled: 'doubled',
	unexplained: 'failures without a reason',
	fileless: 'failed items without their file',
	leaked: 'leaked secrets',
	overlong: 'waits longer than allowed',
} as const;

export type Wrong = keyof typeof wrongs;

const MOST_EXAMPLES = 3;
const LONGEST_EXAMPLE = 600;

export class Figures {
	private counts = new Map<Wrong, number>();
	private examples: string[] = [];
	private faults = new Map<string, number>();
	operations = 0;
	done = 0;
	failed = 0;
	/** Requests that the service received. */
	calls = 0;

	note(wrong: Wrong, example: string, count = 1) {
		const before = this.counts.get(wrong) ?? 0;
		this.counts.set(wrong, before + count);
		if (before < MOST_EXAMPLES) {
			this.examples.push(`${wrongs[wrong]}: ${example.slice(0, LONGEST_EXAMPLE)}`);
		}
	}

	noteFault(type: string, count: number) {
		this.faults.set(type, (this.faults.get(type) ?? 0) + count);
	}

	count(wrong: Wrong): number {
		return this.counts.get(wrong) ?? 0;
	}

	/** A few of each wrong. */
	get examplesFound(): readonly string[] {
		return this.examples;
	}

	/** Going on would tell nothing new, and take long where operations hang. */
	get isHopeless(): boolean {
		return [...this.counts.values()].some((count) => count >= 20);
	}

	get isClean(): boolean {
		return this.counts.size === 0;
	}

	/** Examples first, figures last. */
	text(): string {
		const faults = [...this.faults].map(([type, count]) => `${type} ${count}`).sort();
		const injected = [...this.faults.values()].reduce((sum, count) => sum + count, 0);
		return [
			...this.examples,
			`operations ${this.operations}: items done ${this.done}, failed with a reason ${this.failed}`,
			`calls that the service saw ${this.calls}, faults injected ${injected} (${faults.join(', ')})`,
			...Object.entries(wrongs).map(
				([wrong, name]) => `${name} ${this.counts.get(wrong as Wrong) ?? 0}`,
			),
		].join('\n');
	}
}
