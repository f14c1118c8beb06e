import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../machine/until.ts';
import type { RunningN8n } from '../n8n/server.ts';

/** A line of n8n's own event log, which it writes whether or not it saves executions. */
interface LoggedEvent {
	ts: string;
	eventName: string;
	payload: { workflowId?: string; nodeName?: string; errorMessage?: string };
}

/** When n8n began and ended something, in ms since 1970. */
export interface Span {
	startedAt: number;
	endedAt: number;
}

export interface TimedExecution {
	workflow: Span;
	/** From the first start of a node to its last end. */
	nodes: Map<string, Span>;
	succeeded: boolean;
	/** What ended it early. */
	errorMessage?: string;
}

const loggedWithinMs = 15_000;
const ended = ['n8n.workflow.success', 'n8n.workflow.failed'];

/** How long it took, in seconds. */
export async function secondsFor(task: () => Promise<unknown>): Promise<number> {
	const startedAt = performance.now();
	await task();
	return (performance.now() - startedAt) / 1000;
}

const eventLogOf = ({ userFolder }: RunningN8n) => join(userFolder, '.n8n', 'n8nEventLog.log');

/** Where the event log ends now. n8n starts a new file when one is full. */
export async function endOfEventLog(n8n: RunningN8n): Promise<number> {
	return await stat(eventLogOf(n8n)).then(
		({ size }) => size,
		() => 0,
	);
}

async function eventsSince(n8n: RunningN8n, position: number): Promise<LoggedEvent[]> {
	const file = await open(eventLogOf(n8n));
	try {
		const { size } = await file.stat();
		const start = size < position ? 0 : position;
		const { buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
		return buffer
			.toString('utf8')
			.split('\n')
			.slice(0, -1)
			.map((line) => JSON.parse(line) as Partial<LoggedEvent>)
			.filter((entry): entry is LoggedEvent => entry.payload !== undefined);
	} finally {
		await file.close();
	}
}

function spans(events: LoggedEvent[]): Map<string, Span> {
	const nodes = new Map<string, Span>();
	for (const { ts, eventName, payload } of events) {
		if (!eventName.startsWith('n8n.node.') || !payload.nodeName) continue;
		const at = Date.parse(ts);
		const known = nodes.get(payload.nodeName);
		nodes.set(payload.nodeName, { startedAt: known?.startedAt ?? at, endedAt: at });
	}
	return nodes;
}

/** The one execution of a workflow that n8n has logged since then. */
export async function timedExecution(
	n8n: RunningN8n,
	workflowId: string,
	position: number,
): Promise<TimedExecution> {
	const logged = async () => {
		const events = (await eventsSince(n8n, position)).filter(
			({ payload }) => payload.workflowId === workflowId,
		);
		const last = events.find(({ eventName }) => ended.includes(eventName));
		const first = events.find(({ eventName }) => eventName === 'n8n.workflow.started');
		if (!first || !last) return undefined;
		return {
			workflow: { startedAt: Date.parse(first.ts), endedAt: Date.parse(last.ts) },
			nodes: spans(events),
			succeeded: last.eventName === 'n8n.workflow.success',
			errorMessage: last.payload.errorMessage,
		};
	};
	return await until(logged, {
		timeoutMs: loggedWithinMs,
		message: `n8n logged no end of workflow ${workflowId}.`,
	});
}
