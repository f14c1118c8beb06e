import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../machine/until.ts';
import type { RunningN8n } from '../n8n/server.ts';

/** A line of n8n's own event log, which it writes whether or not it saves executions. */
interface LoggedEvent {
	ts: string;
	eventName: string;
	payload: { nodeName?: string; errorMessage?: string };
}

/** What is measured of one execution of a flow. */
export interface Job {
	workflowId: string;
	/** In ms since 1970: when the flow was called. */
	calledAt: number;
	first: string;
	last: string;
}

const loggedWithinMs = 15_000;
const ended = ['n8n.workflow.success', 'n8n.workflow.failed'];

async function eventsOf({ userFolder }: RunningN8n, { workflowId, calledAt }: Job) {
	const text = await readFile(join(userFolder, '.n8n', 'n8nEventLog.log'), 'utf8');
	return text
		.split('\n')
		.slice(0, -1)
		.filter((line) => line.includes(workflowId))
		.map((line) => JSON.parse(line) as LoggedEvent)
		.filter(({ ts }) => Date.parse(ts) >= calledAt);
}

/**
 * Seconds from the start of the first node that does the job to the end of the last one.
 * @throws what ended the execution early
 */
export async function jobSeconds(n8n: RunningN8n, job: Job): Promise<number> {
	const logged = async () => {
		const events = await eventsOf(n8n, job);
		return events.some(({ eventName }) => ended.includes(eventName)) ? events : undefined;
	};
	const events = await until(logged, {
		timeoutMs: loggedWithinMs,
		message: `n8n logged no end of workflow ${job.workflowId}.`,
	});
	const failed = events.find(({ eventName }) => eventName === 'n8n.workflow.failed');
	if (failed) throw new Error(`The flow failed: ${failed.payload.errorMessage}`);
	const timesOf = (node: string) =>
		events
			.filter(({ eventName, payload }) => {
				return eventName.startsWith('n8n.node.') && payload.nodeName === node;
			})
			.map(({ ts }) => Date.parse(ts));
	return (Math.max(...timesOf(job.last)) - Math.min(...timesOf(job.first))) / 1000;
}
