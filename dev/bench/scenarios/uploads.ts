import { join } from 'node:path';
import type { Contender, Scenario } from '../../measure/measure.ts';
import { batching, coreUpload } from '../flows/core.ts';
import type { Flow } from '../flows/flow.ts';
import { ourUpload, type UploadKind } from '../flows/own.ts';
import { openRawClient } from '../rawClient.ts';
import type { Account } from '../../n8n/stage.ts';
import { latencyMs, makeFiles, type Stage } from '../stage.ts';
import { secondsFor } from '../timing.ts';
import { requireAllOnce } from './ledger.ts';

const fileCount = 300;
const fileSize = 50_000;
/** As many as the node has in flight at most, unless told otherwise. */
export const concurrency = 16;
const smallBatch = 4;

const upload = (name: string, { service }: Account, flow: Flow): Contender => ({
	name,
	nodes: flow.nodes,
	run: async () => {
		const { seconds, cpuSeconds, succeeded, errorMessage } = await flow.run();
		if (!succeeded) throw new Error(`The flow of '${name}' failed: ${errorMessage}`);
		await requireAllOnce(service, fileCount);
		return { seconds, cpuSeconds };
	},
});

/** 300 files, no limit on the rate. */
export async function uploads(stage: Stage, kind: UploadKind): Promise<Scenario> {
	const account = await stage.account();
	const { service } = account;
	const folder = await makeFiles(join(stage.folder, kind), fileCount, fileSize);
	const place = (name: string) => ({ n8n: stage.n8n, account, name: `${kind} ${name}` });
	const ours = await ourUpload(place('this node'), folder, kind);
	const atOnce = await coreUpload(place('at once'), folder, kind);
	// As soon as the last batch may be answered: a longer pause is slower, none means no batches.
	const batches = batching(smallBatch, latencyMs);
	const batched = await coreUpload(place('batched'), folder, kind, batches);
	const raw = openRawClient(service, concurrency);

	return {
		id: `uploads-${kind}`,
		title: `${fileCount} files of 50 kB, ${kind} upload`,
		quantity: 'seconds',
		unit: 's',
		prepare: async () => await service.control.reset(),
		roundsForOne: 3,
		contenders: [
			upload('this node', account, ours),
			upload('HTTP Request, all at once', account, atOnce),
			upload(`HTTP Request, batches of ${smallBatch}`, account, batched),
			{
				name: `undici alone, ${concurrency} at a time`,
				run: async () => {
					const seconds = await secondsFor(() =>
						kind === 'direct' ? raw.uploadDirect(folder) : raw.uploadSigned(folder),
					);
					await requireAllOnce(service, fileCount);
					return { seconds };
				},
			},
		],
		goals: [
			{
				text: 'time of HTTP Request with everything at once',
				quantity: 'seconds',
				of: 'this node',
				by: 'HTTP Request, all at once',
				atMost: 1.2,
			},
			{
				text: `times as fast as HTTP Request in batches of ${smallBatch}`,
				quantity: 'seconds',
				of: `HTTP Request, batches of ${smallBatch}`,
				by: 'this node',
				atLeast: 2,
			},
			{
				text: 'of the speed of undici alone',
				quantity: 'seconds',
				of: `undici alone, ${concurrency} at a time`,
				by: 'this node',
				atLeast: 0.8,
			},
		],
		close: async () => await raw.close(),
	};
}
