import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ServiceFlags } from './serviceContract';
import { serviceProgram } from './serviceProgram';

export interface Addresses {
	url: string;
	storageUrl: string;
	controlUrl: string;
	/** With TLS. */
	caFile?: string;
}

export interface ServiceProcess {
	addresses: Addresses;
	/** Lets this process end although the service still runs: then the service ends as well. */
	unref(): void;
	stop(): Promise<void>;
}

function commandLine(flags: ServiceFlags): string[] {
	return Object.entries(flags).flatMap(([name, value]: [string, unknown]) => {
		const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
		if (typeof value === 'boolean') return value ? [flag] : [];
		return value === undefined ? [] : [flag, String(value)];
	});
}

/** The simulated service, in a process of its own that ends with this one at the latest. */
export async function startServiceProcess(flags: ServiceFlags): Promise<ServiceProcess> {
	const service = spawn(
		process.execPath,
		[await serviceProgram(), '--json', '--exit-with-parent', ...commandLine(flags)],
		{ stdio: ['pipe', 'pipe', 'pipe'] },
	);
	const complaint = text(service.stderr);
	const ended = once(service, 'exit');
	const [line] = await Promise.race([
		once(createInterface(service.stdout), 'line'),
		ended.then(async () => {
			throw new Error(`The simulated service did not start:\n${await complaint}`);
		}),
	]);
	return {
		addresses: JSON.parse(String(line)) as Addresses,
		unref: () => {
			service.unref();
			for (const pipe of [service.stdin, service.stdout, service.stderr]) (pipe as Socket).unref();
		},
		stop: async () => {
			service.kill();
			await ended;
		},
	};
}
