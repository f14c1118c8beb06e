import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { PROFILES, type ServiceFlags } from './serviceContract';

// The demo and the end-to-end tests load this file through tsx, where `__dirname` is no folder.
const root = resolve(__filename, '../../..');

/** The simulated service in a process of its own, with the command line of `npm run service`. */
export const spawnService = (flags: string[], env = process.env) =>
	spawn(process.execPath, ['--import', 'tsx', 'dev/service/main.ts', ...flags], {
		cwd: root,
		env,
		stdio: ['pipe', 'pipe', 'pipe'],
	});

export interface Addresses {
	url: string;
	storageUrl: string;
	controlUrl: string;
	/** With TLS. */
	caFile?: string;
}

/**
 * The simulated service, in a process of its own, which ends with this one at the latest.
 * @returns where it is, and how to end it, which fails if it has complained of anything
 */
export async function startServiceProcess({
	profile = PROFILES[0],
	tls,
	settings = {},
}: ServiceFlags) {
	const child = spawnService([
		...['--json', '--exit-with-parent', '--profile', profile],
		...['--settings', JSON.stringify(settings)],
		...(tls ? ['--tls'] : []),
	]);
	let hasComplained = false;
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		hasComplained = true;
		process.stderr.write(text);
	});
	// By then all that it has printed is read.
	const ended = once(child, 'close');
	const [line] = await Promise.race([
		once(createInterface(child.stdout), 'line'),
		ended.then(([code, signal]) => {
			throw new Error(`The simulated service ended (${code ?? signal}) too soon: see above why.`);
		}),
	]);
	return {
		addresses: JSON.parse(String(line)) as Addresses,
		stop: async () => {
			child.kill();
			await ended;
			if (hasComplained) throw new Error('The simulated service complained: see above.');
		},
	};
}
