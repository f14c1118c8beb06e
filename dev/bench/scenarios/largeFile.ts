import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../../machine/memory.ts';
import { credentialFor } from '../../n8n/stage.ts';
import { coreUpload } from '../flows/core.ts';
import { ourUpload } from '../flows/own.ts';
import type { Contender, Scenario } from '../measure.ts';
import { makeFiles, type Stage } from '../stage.ts';
import { requireAllOnce } from './ledger.ts';

const idleMs = 3_000;
const megabyte = 1_000_000;

async function makeLargeFile(folder: string): Promise<string> {
	await mkdir(folder);
	const file = await open(join(folder, 'large.pdf'), 'w');
	await file.truncate(1_000 * megabyte);
	await file.close();
	return folder;
}

/** Peak memory of n8n while one file goes up. Each run has an n8n of its own: memory is not given back at once. */
export async function largeFile(stage: Stage): Promise<Scenario> {
	const { service } = await stage.account({ discardFiles: true });
	const large = await makeLargeFile(join(stage.folder, 'large'));
	const small = await makeFiles(join(stage.folder, 'small'), 1, 50_000);

	const peakOf = async (openFlow: typeof ourUpload, kind: 'direct' | 'signed') => {
		const n8n = await stage.freshN8n();
		try {
			const account = { service, credential: await credentialFor(n8n, service) };
			const warmUp = await openFlow({ n8n, account, name: 'small' }, small, kind);
			const flow = await openFlow({ n8n, account, name: 'large' }, large, kind);
			await warmUp.run();
			await service.control.reset();
			await sleep(idleMs);
			const memory = memoryOf(n8n.pid);
			const idle = await memory.current();
			await memory.resetPeak();
			const { seconds } = await flow.run();
			return { megabytes: ((await memory.peak()) - idle) / megabyte, seconds };
		} finally {
			await n8n.stop();
		}
	};
	const contenders = (['direct', 'signed'] as const).flatMap((kind): Contender[] => [
		{ name: `this node, ${kind}`, run: async () => await peakOf(ourUpload, kind) },
		{ name: `HTTP Request, ${kind}`, run: async () => await peakOf(coreUpload, kind) },
	]);
	return {
		id: 'large-file',
		title: 'One file of 1 GB: peak memory of n8n above idle',
		quantity: 'megabytes',
		check: async () => await requireAllOnce(service, 1),
		warmUps: 0,
		contenders,
		goals: ['this node, direct', 'this node, signed'].map((of) => ({ of, atMost: 100 })),
	};
}
