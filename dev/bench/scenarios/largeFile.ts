import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialFor } from '../../n8n/stage.ts';
import { coreUpload } from '../flows/core.ts';
import { ourUpload } from '../flows/own.ts';
import type { Contender, Scenario } from '../measure.ts';
import { makeFiles, requireAllOnce, type Stage } from '../stage.ts';

const idleMs = 3_000;
const megabyte = 1_000_000;

async function makeLargeFile(folder: string): Promise<string> {
	await mkdir(folder);
	const file = await open(join(folder, 'large.pdf'), 'w');
	await file.truncate(1_000 * megabyte);
	await file.close();
	return folder;
}

/** Resident memory of a process, as Linux counts it: now, or at its peak. */
async function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM') {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
	if (!kilobytes) throw new Error(`Process ${pid} shows no ${field}.`);
	return (Number(kilobytes) * 1024) / megabyte;
}

/** Peak memory of n8n while one file goes up. Each run has its own n8n, as memory is given back late. */
export async function largeFile(stage: Stage): Promise<Scenario> {
	const { service } = await stage.account();
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
			const idle = await megabytesOf(n8n.pid, 'VmRSS');
			// From now on, for its peak.
			await writeFile(`/proc/${n8n.pid}/clear_refs`, '5');
			await flow.run();
			return (await megabytesOf(n8n.pid, 'VmHWM')) - idle;
		} finally {
			await n8n.stop();
		}
	};
	const contenders = (['direct', 'signed'] as const).flatMap((kind): Contender[] => [
		{ name: `this node, ${kind}`, run: async () => await peakOf(ourUpload, kind) },
		{ name: `HTTP Request, ${kind}`, run: async () => await peakOf(coreUpload, kind) },
	]);
	return {
		title: 'One file of 1 GB: peak memory of n8n above idle',
		unit: 'megabytes',
		check: async () => await requireAllOnce(service, 1),
		warmUps: 0,
		contenders,
		goals: ['this node, direct', 'this node, signed'].map((of) => ({ of, atMost: 100 })),
	};
}
