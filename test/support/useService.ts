import { startVirtualTime, type VirtualTime } from '../../dev/virtual/clock';
import { exchange, VirtualNetwork } from '../../dev/virtual/network';
import { startVirtualService } from '../../dev/virtual/service';
import { pdfTools, type PdfTools } from '../../dev/service/pdf';
import { profiles } from '../../dev/service/profiles/index';
import type { Settings } from '../../dev/service/settings';
import { connectTo, type Service } from './service';
import { ServiceClient } from './serviceClient';
import type { Profile } from './serviceContract';
import type { ServiceControl } from './serviceControl';
import { usedService } from './usedService';

/** Longer than what is left of a run that has ended, in ms. */
const LAST_TIMERS_MS = 10_000;

/**
 * The simulated service in this process, and all that waits in virtual time: for tests in which somebody
 * waits. No socket is opened; n8n's HTTP client and Node's own HTTP work as ever. The service is as new
 * for each test.
 *
 * ```ts
 * const used = useVirtualService({ profile: 'atlas' });
 * it('waits', async () => {
 * 	const { error } = await used.run({ resource: 'extraction', … });
 * ```
 *
 * Time passes only in `run`, `time.run` and `time.pass`, as soon as nothing else is left to do. A test awaits
 * within them whatever waits for time: runs of the node, and the service's own answers where a fault
 * delays them. What needs no time, such as `control`, can be awaited anywhere.
 * @returns filled in before each test
 */
export const useVirtualService = (wanted: Wanted = {}) => serviceInVirtualTime(wanted, {});

/**
 * The same, but it really reads PDFs, and time passes during the whole of a test: nobody need mind it.
 * For tests of what has to happen when, see useVirtualService; of sockets, useRealService.ts.
 * @returns filled in before each test
 */
export const useService = (wanted: Wanted = {}) =>
	serviceInVirtualTime(wanted, { flows: true, pdfs: pdfTools });

interface Wanted extends Partial<Settings> {
	/** By its name, or drawn. */
	profile?: Profile | (typeof profiles)[number];
}

/**
 * @param flows whether time passes outside `time.run` and `time.pass` too
 * @param pdfs how the service works with PDFs, where it does
 */
function serviceInVirtualTime(
	{ profile = 'atlas', ...settings }: Wanted,
	{ flows, pdfs }: { flows?: boolean; pdfs?: PdfTools },
) {
	const used = usedService(
		{} as {
			service: Service;
			control: ServiceControl;
			client: ServiceClient;
			time: VirtualTime;
			network: VirtualNetwork;
		},
	);

	beforeAll(async () => {
		used.network = new VirtualNetwork();
		const own =
			typeof profile === 'object' ? profile : profiles.find(({ name }) => name === profile);
		if (!own) throw new Error(`There is no profile ${String(profile)}`);
		const started = await startVirtualService(used.network, own, settings, pdfs);
		const release = async () => await started.stop();
		used.service = await connectTo(started, release, exchange);
		used.control = used.service.control;
		used.client = new ServiceClient(used.service);
	});
	beforeEach(async () => {
		used.time = startVirtualTime({ flows });
		await used.control.reset();
	});
	afterEach(async () => {
		// A timer that outlives its clock would never go off: the node's own goes on in the next test.
		await used.time.pass(LAST_TIMERS_MS);
		used.time.stop();
	});
	afterAll(async () => {
		await used.service.stop();
		used.network.stop();
	});
	return used;
}
