import type { TestContext } from 'node:test';
import { type Service, startService } from '../../test/support/service.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { type Intake, openIntake } from './intake.ts';
import type { Tally } from './tally.ts';

/** A cluster and a simulated service, with a workflow that brings documents from one to the other. */
export interface Stage {
	cluster: Cluster;
	service: Service;
	intake: Intake;
	close(): Promise<void>;
}

export type Record = (executions: number, tally: Tally) => void;

export interface Case {
	title: string;
	/** @param record adds a line to the table that ends the run */
	run(stage: Stage & { record: Record }, context: TestContext): Promise<void>;
}

export async function openStage(options: ClusterOptions): Promise<Stage> {
	const service = await startService();
	const cluster = await startCluster(options);
	return {
		cluster,
		service,
		intake: await openIntake(cluster, service.credential()),
		close: async () => {
			await cluster.stop();
			await service.stop();
		},
	};
}
