import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROOT } from '../support/repository';

it('a short simulation on sockets finds nothing lost, doubled, unexplained or leaked', async () => {
	const simulation = spawn(
		process.execPath,
		['--import', 'tsx', 'dev/simulate/main.ts', '--sockets', '--operations', '45', '--seed', '7'],
		{ cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
	);

	const [output, [exitCode]] = await Promise.all([
		text(simulation.stdout),
		once(simulation, 'exit'),
	]);

	expect(output.trim().split('\n').slice(-7)).toEqual([
		'lost 0',
		'doubled 0',
		'incomplete results without a word 0',
		'failures without a reason 0',
		'failed items without their file 0',
		'leaked secrets 0',
		'waits longer than allowed 0',
	]);
	expect(output).toMatch(/^operations \d\d: items done \d{3,}/m);
	expect(exitCode).toBe(0);
}, 240_000);
