import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningN8n } from '../../n8n/server.ts';
import type { Contender, Scenario } from '../measure.ts';
import { filesNode, readFiles } from '../flows/coreNodes.ts';
import { openFlow, type Flow } from '../flows/flow.ts';
import { coreUpload, ourUpload } from '../flows/uploads.ts';
import { makeFiles, type Account, type Stage } from '../stage.ts';
import { requireAllOnce } from './ledger.ts';

const fileSize = 1_000_000_000;
const idleMs = 3_000;
const megabyte = 1_000_000;

async function makeLargeFile(folder: string): Promise<string> {
	await mkdir(folder);
	const file = await open(join(folder, 'large.pdf'), 'w');
	await file.truncate(fileSize);
	await file.close();
	return folder;
}

type OpenFlow = (n8n: RunningN8n, account: Account, name: string, folder: string) => Promise<Flow>;

const ways: Record<string, OpenFlow> = {
	'this node, direct': async (n8n, account, name, folder) =>
		await ourUpload({ n8n, account, name, folder }, 'direct'),
	'this node, signed': async (n8n, account, name, folder) =>
		await ourUpload({ n8n, account, name, folder }, 'signed'),
	'HTTP Request, direct': async (n8n, account, name, folder) =>
		await coreUpload({ n8n, account, name, folder }, 'direct'),
	'HTTP Request, signed': async (n8n, account, name, folder) =>
		await coreUpload({ n8n, account, name, folder }, 'signed'),
};

const readOnly = 'reading the file, no upload';

/** One file of 1 GB that lies on disk. Each run has an n8n of its own: memory is not given back at once. */
export async function largeFile(stage: Stage): Promise<Scenario> {
	const { service } = await stage.account({ discardFiles: true });
	const large = await makeLargeFile(join(stage.folder, 'large'));
	const small = await makeFiles(join(stage.folder, 'small'), 1, 50_000);

	const peakOf = async (openWay: OpenFlow) => {
		const n8n = await stage.freshN8n();
		try {
			const account = { service, credential: await stage.credentialFor(n8n, service) };
			const warmUp = await openWay(n8n, account, 'small', small);
			const flow = await openWay(n8n, account, 'large', large);
			await warmUp.run();
			await service.control.reset();
			await sleep(idleMs);
			const idle = await n8n.memory.current();
			await n8n.memory.resetPeak();
			const { seconds, succeeded, errorMessage } = await flow.run();
			if (!succeeded) throw new Error(`The upload of the large file failed: ${errorMessage}`);
			return { megabytes: ((await n8n.memory.peak()) - idle) / megabyte, seconds };
		} finally {
			await n8n.stop();
		}
	};

	const contenders = Object.entries(ways).map(
		([name, openWay]): Contender => ({
			name,
			run: async () => {
				const sample = await peakOf(openWay);
				await requireAllOnce(service, 1);
				return sample;
			},
		}),
	);
	const onlyRead: Contender = {
		name: readOnly,
		run: async () =>
			await peakOf(
				async (n8n, { credential }, name, folder) =>
					await openFlow(n8n, credential, {
						name,
						nodes: [readFiles(`${folder}/*`)],
						first: filesNode,
						last: filesNode,
					}),
			),
	};

	return {
		id: 'large-file',
		title: 'One file of 1 GB: peak memory of n8n above idle',
		quantity: 'megabytes',
		unit: 'MB',
		warmUps: 0,
		contenders: [...contenders, onlyRead],
		goals: ['this node, direct', 'this node, signed'].map((of) => ({
			text: `MB above idle, ${of}`,
			quantity: 'megabytes',
			of,
			atMost: 100,
		})),
	};
}
