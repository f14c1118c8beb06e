import { type Service, startService } from '../../test/support/service.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { installDebianPackages } from '../machine/debian.ts';
import { type Cluster, startCluster } from '../queue/cluster.ts';
import type { Flow } from '../queue/flow.ts';
import { startElsewhere } from '../simulate/elsewhere.ts';
import { clockPackage, settableClock } from './clock.ts';
import { openHoldings } from './holdings.ts';
import { openFlows } from './flows.ts';
import { mountSmallDisk, type SmallDisk } from './smallDisk.ts';

export const workerCount = 2;

/** What n8n would notice only after minutes and hours by default, too long to wait for here. */
const soonNoticed = {
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
	N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
};

/** Everything that may die, and the flows that bring files through it. */
export interface Stage {
	cluster: Cluster;
	service: Service;
	flows: Flow[];
	/** Where n8n keeps files; undefined where no disk of its own could be mounted for it. */
	disk: SmallDisk | undefined;
	holdings: Awaited<ReturnType<typeof openHoldings>>;
	/** Of another origin, where nobody should send anything. */
	elsewhere: Awaited<ReturnType<typeof startElsewhere>>;
	close(): Promise<void>;
}

/** @param nodePackage tarball of the node; else it is built and packed */
export async function openStage(profile: Profile, nodePackage?: string): Promise<Stage> {
	await installDebianPackages([clockPackage]);
	const opened: Array<{ stop(): Promise<void> }> = [];
	const close = async () => {
		for (const each of opened.reverse()) await each.stop();
	};
	try {
		const disk = await mountSmallDisk();
		if (disk) opened.push(disk);
		const elsewhere = await startElsewhere();
		opened.push(elsewhere);
		const service = await startService({ profile });
		opened.push(service);
		const holdings = await openHoldings();
		const cluster = await startCluster({
			workers: workerCount,
			binaryMode: 'shared filesystem',
			binaryFolder: disk?.folder,
			nodePackage,
			env: { ...soonNoticed, ...holdings.env },
			workerEnv: settableClock,
		});
		opened.push(cluster);
		const flows = await openFlows(cluster, service.credential());
		return { cluster, service, flows, disk, holdings, elsewhere, close };
	} catch (error) {
		await close();
		throw error;
	}
}
