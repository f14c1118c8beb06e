import type { TestContext } from 'node:test';
import { type Service, startService } from '../../test/support/service.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import type { SentFile } from './flow.ts';
import { type Answer, type Intake, openIntake } from './intake.ts';

/** A cluster and a simulated service, with a workflow that brings documents from one to the other. */
export interface Stage {
	cluster: Cluster;
	service: Service;
	intake: Intake;
	close(): Promise<void>;
}

export interface CaseStage extends Stage {
	/** Fails if a document is lost or was processed twice; adds a line to the table that ends the run. */
	assertAllOnce(sent: SentFile[], answers: Answer[]): Promise<void>;
}

export interface Case {
	title: string;
	run(stage: CaseStage, context: TestContext): Promise<void>;
}

export async function openStage(options: ClusterOptions): Promise<Stage> {
	const opened: Array<{ stop(): Promise<void> }> = [];
	const close = async () => {
		for (const each of opened.reverse()) await each.stop();
	};
	try {
		const service = await startService();
		opened.push(service);
		const cluster = await startCluster(options);
		opened.push(cluster);
		const intake = await openIntake(cluster, service.credential());
		return { cluster, service, intake, close };
	} catch (error) {
		await close();
		throw error;
	}
}
