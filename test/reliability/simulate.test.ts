import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = resolve(__dirname, '../..');
/** The same on all machines, another one tomorrow. */
const TODAY = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));

async function simulate(...options: string[]) {
	const simulation = spawn(
		process.execPath,
		['--import', 'tsx', 'dev/simulate/main.ts', ...options],
		{ cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
	);
	const [output, said, [exitCode]] = await Promise.all([
		text(simulation.stdout),
		text(simulation.stderr),
		once(simulation, 'exit'),
	]);
	return { output, said, exitCode };
}

it.each([7, TODAY])(
	'500 operations in virtual time find nothing wrong (seed %i)',
	async (seed) => {
		const { output, said, exitCode } = await simulate('--operations', '500', '--seed', `${seed}`);

		// With what it found and the command that repeats it.
		expect({ said: exitCode === 0 ? '' : said, exitCode }).toEqual({ said: '', exitCode: 0 });
		expect(output).toMatch(/^operations 5\d\d: items done \d{3,}/m);
	},
	600_000,
);

it('an episode makes the same requests at the same virtual times, whatever ran before it', async () => {
	const traces = await Promise.all(
		[['3'], ['1', '3']].map(async (episodes) => {
			const { output } = await simulate('--seed', '7', '--episode', ...episodes);
			const [, trace = ''] = output.split('episode 3\n');
			return trace.split('\n').filter((line) => line.includes('· operation '));
		}),
	);

	expect(traces[0].length).toBeGreaterThan(50);
	expect(traces[0]).toEqual(traces[1]);
}, 600_000);
