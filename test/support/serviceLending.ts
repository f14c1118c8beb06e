import type { Profile } from './serviceContract';
import type { Addresses } from './serviceProcess';

/** Services that no test file of this worker uses at the moment. */
const idle: Record<Profile, Addresses[]> = { atlas: [], borealis: [], cobalt: [] };

/** In the process that startServiceHost.ts has started for all workers. */
async function start(profile: Profile): Promise<Addresses> {
	const response = await fetch(`${process.env.SERVICE_HOST}/${profile}`);
	if (!response.ok) throw new Error(await response.text());
	return (await response.json()) as Addresses;
}

/** A simulated service for one test file, which hands it on to the next. */
export async function lendService(profile: Profile) {
	const addresses = idle[profile].pop() ?? (await start(profile));
	return { addresses, giveBack: () => void idle[profile].push(addresses) };
}

export type LendService = typeof lendService;
