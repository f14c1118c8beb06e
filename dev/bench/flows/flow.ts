import { usageOf } from '../../machine/processTree.ts';
import type { RunningN8n } from '../../n8n/server.ts';
import type { WorkflowFile } from '../../n8n/workflow.ts';
import type { Account } from '../../n8n/stage.ts';
import { endOfEventLog, timedExecution } from '../timing.ts';

export interface FlowRun {
	/** From the start of the first measured node to the end of the last one. */
	seconds: number;
	/** From the call of the webhook to its answer, saving included. */
	wholeSeconds: number;
	/** Processor time that n8n used in the whole time. */
	cpuSeconds: number;
	succeeded: boolean;
	/** What ended it early. */
	errorMessage?: string;
	/** JSON of the last node's first item; undefined after a failure. */
	answer: unknown;
}

/** A flow that is active in n8n. */
export interface Flow {
	run(): Promise<FlowRun>;
	/** Nodes of it that do the job. */
	nodes: number;
}

/** Where a flow runs, and on whose account. */
export interface Place {
	n8n: RunningN8n;
	account: Account;
	/** Must differ from flow to flow. */
	name: string;
}

/** Which of a flow's nodes the measured job begins and ends with. */
export interface Job {
	first: string;
	last: string;
	nodes: number;
	/** As n8n does unless told otherwise; else nothing of the execution is kept. */
	savesExecutions?: boolean;
}

const unsaved = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' } as const;

/** A flow that failed has no answer; n8n's event log says why. Any other error is thrown. */
function noAnswer(error: unknown): undefined {
	if (error instanceof Error && typeof error.cause === 'number') return undefined;
	throw error;
}

/** @param workflow begins with a webhook of this path */
export async function openFlow(
	{ n8n, account: { credential }, name }: Place,
	workflow: (path: string) => WorkflowFile,
	{ first, last, nodes, savesExecutions }: Job,
): Promise<Flow> {
	const path = name.toLowerCase().replace(/\W+/g, '-');
	const settings = savesExecutions ? {} : unsaved;
	const imported = { ...workflow(path), name, settings };
	const workflowId = await n8n.importWorkflow(imported, [credential]);
	await n8n.activate(workflowId);

	return {
		nodes,
		run: async () => {
			const position = await endOfEventLog(n8n);
			const before = await usageOf(n8n.pid);
			const calledAt = performance.now();
			const answer = await n8n.callWebhook(path, {}).catch(noAnswer);
			const wholeSeconds = (performance.now() - calledAt) / 1000;
			const cpuSeconds = (await usageOf(n8n.pid)).cpuSeconds - before.cpuSeconds;
			const execution = await timedExecution(n8n, workflowId, position);
			const { nodes: spans, workflow: whole, succeeded, errorMessage } = execution;
			const startedAt = spans.get(first)?.startedAt ?? whole.startedAt;
			const endedAt = spans.get(last)?.endedAt ?? whole.endedAt;
			const seconds = (endedAt - startedAt) / 1000;
			return { seconds, wholeSeconds, cpuSeconds, succeeded, errorMessage, answer };
		},
	};
}
