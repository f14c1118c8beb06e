import { startService, type Service } from './service';
import { ServiceClient } from './serviceClient';
import type { ServiceFlags } from './serviceContract';

/**
 * One simulated service for all tests of a block, as new for each of them.
 * @returns filled in before the first test
 */
export function useService(flags: ServiceFlags) {
	const used = {} as { service: Service; client: ServiceClient };

	beforeAll(async () => {
		used.service = await startService(flags);
		used.client = new ServiceClient(used.service);
	});
	beforeEach(async () => await used.service.control.reset());
	afterAll(async () => {
		await used.client.close();
		await used.service.stop();
	});
	return used;
}
