import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ServiceFlags } from './serviceContract';
import { servicePrograms } from './servicePrograms';

export interface Addresses {
	url: string;
	storageUrl: string;
	controlUrl: string;
	/** With TLS. */
	caFile?: string;
}

function commandLine(flags: ServiceFlags): string[] {
	return Object.entries(flags).flatMap(([name, value]: [string, unknown]) => {
		const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
		if (typeof value === 'boolean') return value ? [flag] : [];
		return value === undefined ? [] : [flag, String(value)];
	});
}

/**
 * Starts a program that says in one line where it is, and ends with this process at the latest.
 * @returns that line, how to end it, and what it has complained of, which is printed as it comes
 */
export async function startProgram(program: string, ...parameters: string[]) {
	const child = spawn(process.execPath, [program, ...parameters], {
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	const complaints: string[] = [];
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		complaints.push(text);
		process.stderr.write(text);
	});
	// By then all that it has printed is read.
	const ended = once(child, 'close');
	const [line] = await Promise.race([
		once(createInterface(child.stdout), 'line'),
		ended.then(([code, signal]) => {
			throw new Error(`${program} ended (${code ?? signal}) before it was ready; see above why.`);
		}),
	]);
	return {
		line: String(line),
		complaints,
		stop: async () => {
			child.kill();
			await ended;
		},
	};
}

/** The simulated service, in a process of its own. */
export async function startServiceProcess(flags: ServiceFlags) {
	const { service } = await servicePrograms();
	const parameters = ['--json', '--exit-with-parent', ...commandLine(flags)];
	const { line, stop } = await startProgram(service, ...parameters);
	return { addresses: JSON.parse(line) as Addresses, stop };
}
