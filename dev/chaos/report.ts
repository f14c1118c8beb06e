import Table from 'cli-table3';
import { type Place, places } from './account.ts';
import type { Outcome } from './chaos.ts';
import type { Holdings } from './holdings.ts';

/** What must not happen. */
export type Fault =
	| 'lost'
	| 'doubled without a word'
	| 'failures without a reason'
	| 'files in executions that hang'
	| 'processes that hold more than before'
	| 'requests that followed a redirect';

/** What was not measured is absent. */
export type Faults = Partial<Record<Fault, number>>;

/** Each must be 0 for the node to pass. */
export function faultsOf({ account, residue, gone }: Outcome): Faults {
	const { figures, counts } = account;
	return {
		lost: figures.wrongs.lost,
		'doubled without a word': figures.wrongs.doubled,
		'failures without a reason': figures.wrongs.unexplained,
		'files in executions that hang': counts.hanging,
		...(residue.length > 0 && {
			'processes that hold more than before': residue.filter(({ isBack }) => !isBack).length,
		}),
		'requests that followed a redirect': gone.length,
	};
}

const described = ({ connections, timers, heap }: Holdings) =>
	`${connections} connections, ${timers} timers, ${Math.round(heap / 2 ** 20)} MB`;

function times(names: string[]): string {
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...counts].map(([name, count]) => `${count} × ${name}`).join('\n');
}

/** One table, and before it what is behind the figures that should be 0. */
export function reportOf(outcome: Outcome): string {
	const { account, struck, endedThemselves, residue } = outcome;
	const { counts } = account;
	const table = new Table({
		chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
		style: { border: [] },
	});
	const row = (title: string, value: string | number) => table.push([title, String(value)]);
	const place = (name: Place) => row(`  ${places[name]}`, counts[name]);

	row('What died or went wrong', times(struck.map(({ name }) => name)));
	row('Files sent', account.files);
	place('delivered');
	place('failed');
	place('unknown');
	place('refused');
	row('What n8n itself loses', '');
	place('crashed');
	row('    of these, uploaded', account.crashedUploaded);
	row('    of these, extracted', account.crashedExtracted);
	place('forgotten');
	row('  executions that n8n started more than once', account.startedAgain);
	row('  processes that ended by themselves', times(endedThemselves) || 0);
	row('What must be 0', '');
	for (const [title, count] of Object.entries(faultsOf(outcome))) row(`  ${title}`, count);
	row(
		'What each process holds, before → after',
		residue.length ? '' : 'not measured: executions hang',
	);
	for (const { process, before, after, isBack } of residue) {
		row(`  ${process}${isBack ? '' : ', MORE'}`, `${described(before)} → ${described(after)}`);
	}
	return [
		...account.figures.violations.map(({ wrong, what }) => `${wrong}: ${what}`),
		table.toString(),
	].join('\n');
}
