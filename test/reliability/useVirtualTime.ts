import { Randomness } from '../../dev/simulate/randomness';
import { startVirtualTime, type VirtualTime } from '../../dev/virtual/clock';

/**
 * Virtual time for tests without a service, whose waits are chosen by chance: it is the same in each run.
 * @returns filled in before each test
 */
export function useVirtualTime() {
	const used = {} as { time: VirtualTime };
	beforeEach(() => {
		const chance = new Randomness(1);
		jest.spyOn(Math, 'random').mockImplementation(() => chance.next());
		used.time = startVirtualTime();
	});
	afterEach(() => {
		used.time.stop();
		jest.restoreAllMocks();
	});
	return used;
}
