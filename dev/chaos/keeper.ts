import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../queue/cluster.ts';
import type { Worker } from '../queue/worker.ts';

/** Does what `restart: unless-stopped` does in a deployment, and remembers all workers that there were. */
export class Keeper {
	private workers = new Set<Worker>();
	/** Processes that ended although nobody ended them. */
	endedThemselves: string[] = [];

	constructor(
		private readonly cluster: Cluster,
		private readonly workerCount: number,
	) {
		this.remember();
	}

	/** Starts anew what has ended by itself. */
	async repair() {
		const { main, workers } = this.cluster;
		this.remember();
		const isEnded = await Promise.race([main.ended.then(() => true), sleep(10).then(() => false)]);
		if (isEnded) {
			this.endedThemselves.push('main');
			await this.cluster.restartMain('SIGTERM');
		}
		while (workers.length < this.workerCount) {
			this.endedThemselves.push('worker');
			await this.cluster.addWorker();
		}
		this.remember();
	}

	/** IDs of executions, one for each time that a worker began with one. */
	async starts(): Promise<string[]> {
		const all = await Promise.all(
			[...this.workers].map(async (worker) => await worker.executionIds()),
		);
		return all.flat();
	}

	async copyLogs(folder: string) {
		const { main, redis, postgres } = this.cluster;
		await mkdir(folder, { recursive: true });
		const logs = new Map([
			['main', main.logFile],
			['redis', redis.logFile],
			['postgres', postgres.logFile],
			...[...this.workers].map(({ pid, logFile }): [string, string] => [`worker-${pid}`, logFile]),
		]);
		for (const [name, file] of logs) await copyFile(file, join(folder, `${name}.log`));
	}

	private remember() {
		for (const worker of this.cluster.workers) this.workers.add(worker);
	}
}
