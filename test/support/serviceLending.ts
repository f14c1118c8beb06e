import type { Profile } from './serviceContract';
import { startServiceProcess, type ServiceProcess } from './serviceProcess';

/** Services that no test file uses at the moment. */
const idle: Array<{ profile: Profile; service: ServiceProcess }> = [];

/** A simulated service for one test file, which hands it on to the next. */
export async function lendService(profile: Profile) {
	const index = idle.findIndex((one) => one.profile === profile);
	const service =
		index < 0 ? await startServiceProcess({ profile }) : idle.splice(index, 1)[0].service;
	service.unref();
	return {
		addresses: service.addresses,
		giveBack: () => void idle.push({ profile, service }),
	};
}

export type LendService = typeof lendService;
