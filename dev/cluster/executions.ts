import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'flatted';
import type { ExecutionStatus, IRunExecutionData } from 'n8n-workflow';
import { fileNamesIn } from '../simulate/textFiles.ts';
import type { Stage } from './stage.ts';

export interface RecordedExecution {
	id: string;
	status: ExecutionStatus;
	/** As n8n has it on record now. */
	data: IRunExecutionData | undefined;
	/** Of the files that it began with. */
	fileNames: string[];
}

const lookEveryMs = 1_000;
/** IDs are given before rows are visible: a row may show up after one that is younger. */
const overlap = 50;

const unfinished = "'new', 'running', 'waiting', 'unknown'";

/**
 * Watches the flows in n8n's own database, from now on. When an execution dies with its worker, n8n writes
 * over the data that it began with; what was seen before tells whose files it had.
 */
export async function watchExecutions({ cluster: { postgres }, flows }: Stage) {
	const fileNames = new Map<string, string[]>();
	const [[before]] = await postgres.query('SELECT coalesce(max(id), 0) FROM execution_entity');
	const workflowIds = flows.map(({ workflowId }) => `'${workflowId}'`).join();
	const ofFlows = `"workflowId" IN (${workflowIds}) AND id > ${before}`;
	let latest = Number(before);
	let isOver = false;

	const look = async () => {
		const rows = await postgres.query(
			`SELECT "executionId", data FROM execution_data WHERE "executionId" > ${latest - overlap}`,
		);
		for (const [id, data] of rows) {
			const names = fileNamesIn(data);
			if (names.length > 0) fileNames.set(id, names);
			latest = Math.max(latest, Number(id));
		}
	};
	const lookAgainAndAgain = async () => {
		while (!isOver) {
			// While PostgreSQL restarts nobody can look.
			await look().catch(() => undefined);
			await sleep(lookEveryMs);
		}
	};
	const looking = lookAgainAndAgain();
	return {
		/** How many n8n has not brought to an end. */
		unfinished: async (): Promise<number> => {
			const [[count]] = await postgres.query(
				`SELECT count(*) FROM execution_entity WHERE ${ofFlows} AND status IN (${unfinished})`,
			);
			return Number(count);
		},
		all: async (): Promise<RecordedExecution[]> => {
			const rows = await postgres.query(
				`SELECT id, status, data FROM execution_entity
				LEFT JOIN execution_data ON id = "executionId"
				WHERE ${ofFlows} ORDER BY id`,
			);
			return rows.map(([id, status, data]) => ({
				id,
				status: status as ExecutionStatus,
				data: data ? (parse(data) as IRunExecutionData) : undefined,
				fileNames: fileNames.get(id) ?? fileNamesIn(data ?? ''),
			}));
		},
		stop: async () => {
			isOver = true;
			await looking;
		},
	};
}
