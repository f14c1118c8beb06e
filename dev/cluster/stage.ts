import { startService } from '../../test/support/service.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { credentialFor, openStage } from '../n8n/stage.ts';
import { chain } from '../n8n/workflow.ts';
import { startElsewhere } from '../simulate/elsewhere.ts';
import { startCluster } from './cluster.ts';
import { openFlows } from './sending.ts';

const alarm = chain('Alarm', [
	{ name: 'On failure', type: 'n8n-nodes-base.errorTrigger', typeVersion: 1, parameters: {} },
	{ name: 'Tell someone', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
]);

interface StageOptions {
	/** Of main and workers together; else files are in the database, as deployed. */
	filesFolder?: string;
	profile?: Profile;
}

/** A main and two workers, everything else that may die, and the flows that bring files through it. */
export const openClusterStage = async ({ filesFolder, profile }: StageOptions) =>
	await openStage(async (keep) => {
		/** Of another origin, where nobody should send anything. */
		const elsewhere = await keep(startElsewhere());
		const service = await keep(startService({ profile }));
		const cluster = await startCluster(keep, filesFolder);
		const credential = await credentialFor(cluster.main, service);
		/** Of the workflow that n8n starts when an execution fails. */
		const alarmId = await cluster.main.importWorkflow(alarm, []);
		await cluster.main.activate(alarmId);
		const flows = await openFlows(cluster, credential, alarmId);
		return {
			...{ cluster, service, credential, flows, alarmId, elsewhere },
			/** With the time, as the logs of the processes have it. */
			log: (line: string) => console.log(`${new Date().toISOString()} ${line}`),
		};
	});

export type Stage = Awaited<ReturnType<typeof openClusterStage>>;
