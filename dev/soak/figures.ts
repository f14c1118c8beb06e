/** What must not happen, and how often it did. */
export const faults = {
	lost: 'lost',
	doubled: 'doubled',
	unexplained: 'failures without a reason',
	fileless: 'failed items without their file',
	leaked: 'leaked secrets',
	overlong: 'waits longer than allowed',
} as const;

export type FaultKind = keyof typeof faults;

const MOST_EXAMPLES = 3;

export class Figures {
	private counts = new Map<FaultKind, number>();
	private examples = new Map<FaultKind, string[]>();
	operations = 0;
	done = 0;
	failed = 0;

	note(kind: FaultKind, example: string, count = 1) {
		this.counts.set(kind, this.of(kind) + count);
		const examples = this.examples.get(kind) ?? [];
		if (examples.length < MOST_EXAMPLES) this.examples.set(kind, [...examples, example]);
	}

	of(kind: FaultKind): number {
		return this.counts.get(kind) ?? 0;
	}

	add(other: Figures) {
		this.operations += other.operations;
		this.done += other.done;
		this.failed += other.failed;
		for (const [kind, examples] of other.examples) {
			for (const example of examples) this.note(kind, example, 0);
			this.counts.set(kind, this.of(kind) + other.of(kind));
		}
	}

	get isClean(): boolean {
		return [...this.counts.values()].every((count) => count === 0);
	}

	/** Examples first, figures last. */
	text(): string {
		const kinds = Object.keys(faults) as FaultKind[];
		return [
			...kinds.flatMap((kind) =>
				(this.examples.get(kind) ?? []).map((example) => `${faults[kind]}: ${example}`),
			),
			`operations ${this.operations} (items done ${this.done}, failed with a reason ${this.failed})`,
			...kinds.map((kind) => `${faults[kind]} ${this.of(kind)}`),
		].join('\n');
	}
}
