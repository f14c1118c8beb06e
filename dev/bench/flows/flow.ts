import { usageOf } from '../../machine/processTree.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import type { RunningN8n } from '../../n8n/server.ts';
import { chain, webhook, type WorkflowFile, type WorkflowNode } from '../../n8n/workflow.ts';
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

/** A flow that is active in n8n, and which of its nodes the measured job begins and ends with. */
export interface Flow {
	run(): Promise<FlowRun>;
}

interface FlowPlan {
	name: string;
	/** In a row behind the webhook. */
	nodes: WorkflowNode[];
	/** Adds what does not stand in the row. */
	rewire?: (workflow: WorkflowFile) => WorkflowFile;
	first: string;
	last: string;
	/** As n8n does unless told otherwise; else nothing of the execution is kept. */
	savesExecutions?: boolean;
}

const unsaved = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' } as const;

export async function openFlow(
	n8n: RunningN8n,
	credential: SavedCredential,
	{ name, nodes, rewire = (workflow) => workflow, first, last, savesExecutions }: FlowPlan,
): Promise<Flow> {
	const path = name.toLowerCase().replace(/\W+/g, '-');
	const workflow = rewire(chain(name, [webhook(path), ...nodes]));
	const settings = savesExecutions ? {} : unsaved;
	const workflowId = await n8n.importWorkflow({ ...workflow, settings }, [credential]);
	await n8n.activate(workflowId);

	return {
		run: async () => {
			const position = await endOfEventLog(n8n);
			const before = await usageOf(n8n.pid);
			const calledAt = performance.now();
			const answer = await n8n.callWebhook(path, {}).catch(() => undefined);
			const wholeSeconds = (performance.now() - calledAt) / 1000;
			const cpuSeconds = (await usageOf(n8n.pid)).cpuSeconds - before.cpuSeconds;
			const execution = await timedExecution(n8n, workflowId, position);
			const { nodes: spans, workflow: whole, succeeded, errorMessage } = execution;
			const startedAt = spans.get(first)?.startedAt ?? whole.startedAt;
			const endedAt = spans.get(last)?.endedAt ?? whole.endedAt;
			return {
				seconds: (endedAt - startedAt) / 1000,
				wholeSeconds,
				cpuSeconds,
				succeeded,
				errorMessage,
				answer,
			};
		},
	};
}
