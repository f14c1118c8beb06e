import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender, Scenario } from '../../measure/measure.ts';
import { coreUpload } from '../flows/core.ts';
import type { Flow, Place } from '../flows/flow.ts';
import { onlyRead, ourUpload, type UploadKind } from '../flows/own.ts';
import { credentialFor } from '../../n8n/stage.ts';
import { makeFiles, type Stage } from '../stage.ts';
import { requireAllOnce } from './ledger.ts';

const idleMs = 3_000;
const megabyte = 1_000_000;

async function makeLargeFile(folder: string, size: number): Promise<string> {
	await mkdir(folder);
	const file = await open(join(folder, 'large.pdf'), 'w');
	await file.truncate(size);
	await file.close();
	return folder;
}

type OpenFlow = (place: Place, folder: string) => Promise<Flow>;

const waysOf = (kind: UploadKind): Record<string, OpenFlow> => ({
	[`this node, ${kind}`]: async (place, folder) => await ourUpload(place, folder, kind),
	[`HTTP Request, ${kind}`]: async (place, folder) => await coreUpload(place, folder, kind),
});

export const readOnly = 'reading the file, no upload';

interface LargeFile {
	id: string;
	/** In MB. */
	size: number;
	/** Where n8n keeps files. */
	mode: 'filesystem' | 'database';
	ways: Record<string, OpenFlow>;
}

/** Peak memory of n8n while one file goes up. Each run has an n8n of its own: memory is not given back at once. */
async function oneFile(stage: Stage, { id, size, mode, ways }: LargeFile) {
	const { service } = await stage.account({ discardFiles: true });
	const large = await makeLargeFile(join(stage.folder, id), size * megabyte);
	const small = await makeFiles(join(stage.folder, `${id} small`), 1, 50_000);

	const peakOf = async (openWay: OpenFlow) => {
		const n8n = await stage.freshN8n(mode);
		try {
			const account = { service, credential: await credentialFor(n8n, service) };
			const warmUp = await openWay({ n8n, account, name: 'small' }, small);
			const flow = await openWay({ n8n, account, name: 'large' }, large);
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
	return {
		id,
		quantity: 'megabytes',
		unit: 'MB',
		warmUps: 0,
		contenders: [...contenders, { name: readOnly, run: async () => await peakOf(onlyRead) }],
	};
}

/** A file that lies on disk. */
export async function largeFile(stage: Stage): Promise<Scenario> {
	const ways = { ...waysOf('direct'), ...waysOf('signed') };
	return {
		...(await oneFile(stage, { id: 'large-file', size: 1_000, mode: 'filesystem', ways })),
		title: 'One file of 1 GB: peak memory of n8n above idle',
		goals: ['this node, direct', 'this node, signed'].map((of) => ({
			text: `MB above idle, ${of}`,
			quantity: 'megabytes',
			of,
			atMost: 100,
		})),
	};
}

/** n8n reads a file from its database as a whole, whoever asks: shows what that costs. 512 MB are its limit. */
export async function fileInDatabase(stage: Stage): Promise<Scenario> {
	const ways = waysOf('direct');
	return {
		...(await oneFile(stage, { id: 'file-in-database', size: 400, mode: 'database', ways })),
		title: "One file of 400 MB in n8n's database: peak memory of n8n above idle",
		goals: [],
	};
}
