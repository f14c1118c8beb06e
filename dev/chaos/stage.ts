import { startService } from '../../test/support/service.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { installDebianPackages } from '../machine/debian.ts';
import { openStage } from '../n8n/stage.ts';
import { startCluster } from '../queue/cluster.ts';
import { startElsewhere } from '../simulate/elsewhere.ts';
import { clockPackage, settableClock } from './clock.ts';
import { openHoldings } from './holdings.ts';
import { openFlows } from './flows.ts';
import { mountSmallDisk } from './smallDisk.ts';

export const workerCount = 2;

/** What n8n would notice only after minutes and hours by default, too long to wait for here. */
const soonNoticed = {
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
	N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
};

/**
 * Everything that may die, and the flows that bring files through it.
 * @param nodePackage tarball of the node; else it is built and packed
 */
export async function openChaosStage(profile: Profile, nodePackage?: string) {
	await installDebianPackages([clockPackage]);
	return await openStage(async (keep) => {
		/** Where n8n keeps files; undefined where no disk of its own could be mounted for it. */
		const disk = await mountSmallDisk();
		if (disk) await keep(disk);
		/** Of another origin, where nobody should send anything. */
		const elsewhere = await keep(startElsewhere());
		const service = await keep(startService({ profile }));
		const holdings = await openHoldings();
		const cluster = await keep(
			startCluster({
				workers: workerCount,
				binaryMode: 'shared filesystem',
				binaryFolder: disk?.folder,
				nodePackage,
				env: { ...soonNoticed, ...holdings.env },
				workerEnv: settableClock,
			}),
		);
		const flows = await openFlows(cluster, service.credential());
		return { cluster, service, flows, disk, holdings, elsewhere };
	});
}

export type Stage = Awaited<ReturnType<typeof openChaosStage>>;
