import { TestEnvironment } from 'jest-environment-node';
import type { Profile } from './serviceContract';
import { startServiceProcess, type ServiceProcess } from './serviceProcess';

/** Services that no test file uses at the moment. */
const idle: Array<{ profile: Profile; service: ServiceProcess }> = [];

async function lendService(profile: Profile) {
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

/**
 * Node, as in any test, and simulated services that one test file hands on to the next: unlike
 * everything that the tests import, this module is loaded once in a process of Jest's.
 */
export default class extends TestEnvironment {
	async setup() {
		await super.setup();
		Object.assign(this.global, { lendService });
	}
}
