import Table from 'cli-table3';
import { type Place, places } from './account.ts';
import type { Outcome } from './run.ts';

/** What must not happen. */
const mustBeZero: Record<string, (outcome: Outcome) => number> = {
	lost: ({ account }) => account.figures.wrongs.lost,
	'doubled without a word': ({ account }) => account.figures.wrongs.doubled,
	'failures without a reason': ({ account }) => account.figures.wrongs.unexplained,
	'files in executions that hang': ({ account }) => account.counts.hanging,
	'requests that followed a redirect': ({ gone }) => gone.length,
};

export const hasPassed = (outcome: Outcome) =>
	Object.values(mustBeZero).every((countOf) => countOf(outcome) === 0);

/** What is behind the figures that should be 0. */
export const violationsOf = ({ account, gone }: Outcome): string[] => [
	...account.figures.violations.map(({ wrong, what }) => `${wrong}: ${what}`),
	...gone.map((request) => `a redirect followed: ${request}`),
];

function times(names: string[]): string {
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...counts].map(([name, count]) => `${count} × ${name}`).join('\n');
}

/** One table, with a column for each run. */
export function tableOf(outcomes: Array<[name: string, outcome: Outcome]>): string {
	const table = new Table({
		head: ['', ...outcomes.map(([name]) => name)],
		chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
		style: { head: [], border: [] },
	});
	const row = (title: string, valueOf: (outcome: Outcome) => string | number) =>
		table.push([title, ...outcomes.map(([, outcome]) => String(valueOf(outcome)))]);
	const place = (name: Place) => row(`  ${places[name]}`, ({ account }) => account.counts[name]);

	row('What died or went wrong', ({ struck }) => times(struck));
	row('Files sent', ({ account }) => account.files);
	for (const name of ['delivered', 'failed', 'unknown', 'refused'] as const) place(name);
	row('What n8n itself loses', () => '');
	place('crashed');
	row('    of these, uploaded', ({ account }) => account.crashedUploaded);
	place('forgotten');
	row('  executions that n8n started more than once', ({ account }) => account.startedAgain);
	row('  processes that ended by themselves', ({ endedThemselves }) => times(endedThemselves) || 0);
	row('What must be 0', () => '');
	for (const [fault, countOf] of Object.entries(mustBeZero)) row(`  ${fault}`, countOf);
	return table.toString();
}
