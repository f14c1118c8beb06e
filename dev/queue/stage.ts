import type { TestContext } from 'node:test';
import { startService } from '../../test/support/service.ts';
import { openStage } from '../n8n/stage.ts';
import { type ClusterOptions, startCluster } from './cluster.ts';
import type { SentFile } from './flow.ts';
import { type Answer, openIntake } from './intake.ts';

/** A cluster and a simulated service, with a workflow that brings documents from one to the other. */
export const openQueueStage = async (options: ClusterOptions) =>
	await openStage(async (keep) => {
		const service = await keep(startService());
		const cluster = await keep(startCluster(options));
		const intake = await openIntake(cluster, service.credential());
		return { cluster, service, intake };
	});

export type Stage = Awaited<ReturnType<typeof openQueueStage>>;

export interface CaseStage extends Stage {
	/** Fails if a document is lost or was processed twice; adds a line to the table that ends the run. */
	assertAllOnce(sent: SentFile[], answers: Answer[]): Promise<void>;
}

export interface Case {
	title: string;
	run(stage: CaseStage, context: TestContext): Promise<void>;
}
