import { parse } from 'flatted';
import type {
	ExecutionStatus,
	INodeExecutionData,
	IRunExecutionData,
	ITaskData,
} from 'n8n-workflow';
import { until } from '../machine/until.ts';
import type { Rest } from './rest.ts';

/** A finished execution, read as a person reads it in the editor. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
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
	data: string;
}

const unfinished: ExecutionStatus[] = ['new', 'running', 'waiting', 'unknown'];
const lookEveryMs = 200;
const endsWithinMs = 300_000;

function readable({ id, status }: StoredExecution, data: IRunExecutionData): Execution {
	const run = (nodeName: string) => data.resultData.runData[nodeName]?.at(-1);
	return {
		id,
		status,
		data,
		run,
		items: (nodeName, output = 0) => run(nodeName)?.data?.main[output] ?? [],
		errorMessage: data.resultData.error?.message,
	};
}

export async function finishedExecution(rest: Rest, id: string): Promise<Execution> {
	const finished = async () => {
		const stored = await rest.get<StoredExecution>(`/executions/${id}`);
		if (unfinished.includes(stored.status)) return undefined;
		// n8n 1 stores the final status a moment before the data.
		const data = parse(stored.data) as IRunExecutionData | undefined;
		return data && readable(stored, data);
	};
	return await until(finished, {
		timeoutMs: endsWithinMs,
		everyMs: lookEveryMs,
		message: `Execution ${id} does not end.`,
	});
}

/** @throws what stopped an execution, where it did not succeed */
export function succeeded(execution: Execution): Execution {
	const { id, status, errorMessage } = execution;
	if (status !== 'success') throw new Error(`Execution ${id}: ${status}, ${errorMessage}`);
	return execution;
}
