import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../machine/until.ts';
import type { StartedN8n } from '../../n8n/server.ts';
import type { Account } from '../../n8n/stage.ts';
import type { WorkflowFile, WorkflowNode } from '../../n8n/workflow.ts';
import type { Contender } from '../measure.ts';

/** A flow that is active in n8n. */
export type Flow = Omit<Contender, 'name'>;

/** Where a flow runs, and on whose account. */
export interface Place {
	n8n: StartedN8n;
	account: Account;
	/** Must differ from flow to flow. */
	name: string;
	/** How many different values it must count at its end: that all results have arrived, each once. */
	count?: number;
}

/** How many different values the items have in a field: whether all results have arrived, each once. */
export const countOf = (field: string): WorkflowNode => ({
	name: 'Count',
	type: 'n8n-nodes-base.summarize',
	typeVersion: 1.1,
	parameters: {
		fieldsToSummarize: { values: [{ aggregation: 'countUnique', field }] },
		options: {},
	},
});

/** A line of n8n's own event log, which it writes whether or not it saves executions. */
interface LoggedEvent {
	ts: string;
	eventName: string;
	payload: { nodeName?: string; errorMessage?: string };
}

/** Nothing of the executions is kept: saving is n8n's own work. */
const settings = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' } as const;

const loggedWithinMs = 15_000;

/** What n8n logs of a workflow's only execution since a time, in ms since 1970; undefined until its end. */
async function eventsOf({ userFolder }: StartedN8n, workflowId: string, since: number) {
	const text = await readFile(join(userFolder, '.n8n', 'n8nEventLog.log'), 'utf8');
	const events = text
		.split('\n')
		.slice(0, -1)
		.filter((line) => line.includes(workflowId))
		.map((line) => JSON.parse(line) as LoggedEvent)
		.filter(({ ts }) => Date.parse(ts) >= since);
	const isOver = events.some(({ eventName }) =>
		/^n8n\.workflow\.(success|failed)$/.test(eventName),
	);
	return isOver ? events : undefined;
}

/**
 * @param workflow begins with a webhook of this path
 * @param nodes names of those that do the job, in their order: a run takes from the start of the first one
 * to the end of the last one
 * @returns runs that take so many seconds
 */
export async function openFlow(
	{ n8n, account: { credential }, name, count }: Place,
	workflow: (path: string) => WorkflowFile,
	nodes: string[],
): Promise<Flow> {
	const path = name.toLowerCase().replace(/\W+/g, '-');
	const workflowId = await n8n.importWorkflow({ ...workflow(path), name, settings }, [credential]);
	await n8n.activate(workflowId);
	const run = async () => {
		const calledAt = Date.now();
		const answer = await n8n.callWebhook(path, {}).catch((error: Error) => {
			// A flow that failed has no answer; n8n's event log says why.
			if (typeof error.cause !== 'number') throw error;
		});
		const events = await until(async () => await eventsOf(n8n, workflowId, calledAt), {
			timeoutMs: loggedWithinMs,
			message: `n8n logged no end of '${name}'.`,
		});
		const failed = events.find(({ eventName }) => eventName === 'n8n.workflow.failed');
		if (failed) throw new Error(`'${name}' failed: ${failed.payload.errorMessage}`);
		const [distinct] = Object.values((answer ?? {}) as Record<string, unknown>);
		if (count !== undefined && distinct !== count) {
			throw new Error(`'${name}' gave results of ${distinct}, not of ${count}.`);
		}
		const timesOf = (node?: string) =>
			events.filter(({ payload }) => payload.nodeName === node).map(({ ts }) => Date.parse(ts));
		return (Math.max(...timesOf(nodes.at(-1))) - Math.min(...timesOf(nodes[0]))) / 1000;
	};
	return { nodes: nodes.length, run };
}
