import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../queue/cluster.ts';

/** Does what `restart: unless-stopped` does in a deployment. */
export class Keeper {
	/** Processes that ended although nobody ended them. */
	endedThemselves: string[] = [];

	constructor(
		private readonly cluster: Cluster,
		private readonly workerCount: number,
	) {}

	/** Starts anew what has ended by itself. */
	async repair() {
		const { main, workers } = this.cluster;
		const isEnded = await Promise.race([main.ended.then(() => true), sleep(10).then(() => false)]);
		if (isEnded) {
			this.endedThemselves.push('main');
			await this.cluster.restartMain('SIGTERM');
		}
		while (workers.length < this.workerCount) {
			this.endedThemselves.push('worker');
			await this.cluster.addWorker();
		}
	}

	/** IDs of executions, one for each time that a worker began with one. */
	async starts(): Promise<string[]> {
		const all = await Promise.all(
			this.cluster.allWorkers.map(async (worker) => await worker.executionIds()),
		);
		return all.flat();
	}
}
