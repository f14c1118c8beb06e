import type { Settings } from '../../dev/service/settings';
import { connectTo, type Service } from './service';
import { ServiceClient } from './serviceClient';
import type { Profile } from './serviceContract';
import type { ServiceControl } from './serviceControl';
import type { LendService } from './serviceLending';
import { usedService } from './usedService';

interface Wanted extends Partial<Settings> {
	profile?: Profile;
}

/** A simulated service that others have used before and will use again, as new. */
async function borrowService({ profile = 'atlas', ...settings }: Wanted = {}) {
	const { lendService } = globalThis as typeof globalThis & { lendService: LendService };
	const { addresses, giveBack } = await lendService(profile);
	const service = await connectTo(addresses, async () => giveBack(), settings);
	await service.control.reset();
	return service;
}

/**
 * One simulated service for all tests of a block, as new for each of them.
 * @returns filled in before the first test
 */
export function useRealService(wanted: Wanted) {
	const used = usedService(
		{} as { service: Service; control: ServiceControl; client: ServiceClient },
	);

	beforeAll(async () => {
		used.service = await borrowService(wanted);
		used.control = used.service.control;
		used.client = new ServiceClient(used.service);
	});
	beforeEach(async () => await used.control.reset());
	afterAll(async () => {
		await used.client.close();
		await used.service.stop();
	});
	return used;
}
