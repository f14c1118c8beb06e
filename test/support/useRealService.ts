import { startService, type Service } from './service';
import { ServiceClient } from './serviceClient';
import type { ServiceFlags } from './serviceContract';
import type { ServiceControl } from './serviceControl';
import { usedService } from './usedService';

/**
 * One simulated service, in a process of its own, for all tests of a block; as new for each of them.
 * @returns filled in before the first test
 */
export function useRealService(flags: ServiceFlags) {
	const used = usedService(
		{} as { service: Service; control: ServiceControl; client: ServiceClient },
	);

	beforeAll(async () => {
		used.service = await startService(flags);
		used.control = used.service.control;
		used.client = new ServiceClient(used.service);
	});
	beforeEach(async () => await used.control.reset());
	afterAll(async () => {
		await used.service.stop();
	});
	return used;
}
