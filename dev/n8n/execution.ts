import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'flatted';
import type {
	ExecutionStatus,
	IBinaryData,
	INodeExecutionData,
	IRunExecutionData,
	ITaskData,
} from 'n8n-workflow';
import type { Rest } from './rest.ts';

/** A finished execution, read as a person reads it in the editor. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	/** From start to end, as n8n measured it. */
	durationMs: number;
	data: IRunExecutionData;
	/** The last run of a node; absent if the node was never reached. */
	run(nodeName: string): ITaskData | undefined;
	/** What a node sent to one of its outputs; nothing if it was not reached. */
	items(nodeName: string, output?: number): INodeExecutionData[];
	/** Message of what stopped the execution. */
	errorMessage?: string;
}

interface StoredExecution {
	id: string;
	status: ExecutionStatus;
	startedAt: string;
	stoppedAt: string;
	data: string;
}

const unfinished: ExecutionStatus[] = ['new', 'running', 'waiting', 'unknown'];
const pollMs = 200;
export const defaultExecutionTimeoutMs = 300_000;

function readable(
	{ id, status, startedAt, stoppedAt }: StoredExecution,
	data: IRunExecutionData,
): Execution {
	const run = (nodeName: string) => data.resultData.runData[nodeName]?.at(-1);
	return {
		id,
		status,
		durationMs: Date.parse(stoppedAt) - Date.parse(startedAt),
		data,
		run,
		items: (nodeName, output = 0) => run(nodeName)?.data?.main[output] ?? [],
		errorMessage: data.resultData.error?.message,
	};
}

export async function finishedExecution(
	rest: Rest,
	id: string,
	timeoutMs = defaultExecutionTimeoutMs,
): Promise<Execution> {
	const giveUpAt = Date.now() + timeoutMs;
	for (;;) {
		const stored = await rest.get<StoredExecution>(`/executions/${id}`);
		if (!unfinished.includes(stored.status)) {
			// n8n 1 stores the final status a moment before the data.
			const data = parse(stored.data) as IRunExecutionData | undefined;
			if (data) return readable(stored, data);
		}
		if (Date.now() > giveUpAt) throw new Error(`Execution ${id} is still ${stored.status}.`);
		await sleep(pollMs);
	}
}

/** The bytes of a binary field, wherever n8n keeps them. */
export async function binaryContent(rest: Rest, binary: IBinaryData): Promise<Buffer> {
	if (!binary.id) return Buffer.from(binary.data, 'base64');
	return await rest.download(`/binary-data?id=${encodeURIComponent(binary.id)}&action=download`);
}
