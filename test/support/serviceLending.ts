import type { Profile } from './serviceContract';
import type { Addresses } from './serviceProcess';

/** Services that no test file uses at the moment. */
const idle: Array<{ profile: Profile; addresses: Addresses }> = [];

/** In the process that startServiceHost.ts has started for all workers. */
async function start(profile: Profile): Promise<Addresses> {
	const response = await fetch(`${process.env.SERVICE_HOST}/${profile}`);
	if (!response.ok) throw new Error(await response.text());
	return (await response.json()) as Addresses;
}

/** A simulated service for one test file, which hands it on to the next. */
export async function lendService(profile: Profile) {
	const index = idle.findIndex((one) => one.profile === profile);
	const addresses = index < 0 ? await start(profile) : idle.splice(index, 1)[0].addresses;
	return {
		addresses,
		giveBack: () => void idle.push({ profile, addresses }),
	};
}

export type LendService = typeof lendService;
