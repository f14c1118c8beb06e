import type { RunningN8n } from '../../n8n/server.ts';
import type { Account } from '../../n8n/stage.ts';
import type { WorkflowFile } from '../../n8n/workflow.ts';
import type { Contender } from '../measure.ts';
import { jobSeconds } from '../timing.ts';

/** A flow that is active in n8n. */
export type Flow = Omit<Contender, 'name'>;

/** Where a flow runs, and on whose account. */
export interface Place {
	n8n: RunningN8n;
	account: Account;
	/** Must differ from flow to flow. */
	name: string;
	/** How many different values it must count at its end: that all results have arrived, each once. */
	count?: number;
}

/** Nothing of the executions is kept: saving is n8n's own work. */
const settings = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' } as const;

/** A flow that failed has no answer; n8n's event log says why. Any other error is thrown. */
function noAnswer(error: unknown): undefined {
	if (error instanceof Error && typeof error.cause === 'number') return undefined;
	throw error;
}

/**
 * @param workflow begins with a webhook of this path
 * @param nodes names of those that do the job, in their order
 */
export async function openFlow(
	{ n8n, account: { credential }, name, count }: Place,
	workflow: (path: string) => WorkflowFile,
	nodes: string[],
): Promise<Flow> {
	const path = name.toLowerCase().replace(/\W+/g, '-');
	const workflowId = await n8n.importWorkflow({ ...workflow(path), name, settings }, [credential]);
	await n8n.activate(workflowId);
	const ends = { first: nodes[0], last: nodes[nodes.length - 1] };
	return {
		nodes: nodes.length,
		run: async () => {
			const calledAt = Date.now();
			const answer = await n8n.callWebhook(path, {}).catch(noAnswer);
			const seconds = await jobSeconds(n8n, { workflowId, calledAt, ...ends });
			const [distinct] = Object.values((answer ?? {}) as Record<string, unknown>);
			if (count !== undefined && distinct !== count) {
				throw new Error(`'${name}' gave results of ${distinct}, not of ${count}.`);
			}
			return { seconds };
		},
	};
}
