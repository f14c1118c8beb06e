import { join } from 'node:path';
import { coreUpload } from '../flows/core.ts';
import { ourUpload, type UploadKind } from '../flows/own.ts';
import { helperAlone, uploadsAlone } from '../flows/alone.ts';
import type { Scenario } from '../measure.ts';
import { makeFiles, requireAllOnce, type Stage } from '../stage.ts';

const fileCount = 300;
const fileSize = 50_000;
const ours = 'this node';
const atOnce = 'HTTP Request, all at once';

/** 300 files, no limit on the rate. */
export async function uploads(stage: Stage, kind: UploadKind): Promise<Scenario> {
	const account = await stage.account();
	const { service } = account;
	const folder = await makeFiles(join(stage.folder, kind), fileCount, fileSize);
	const place = (name: string) => ({ n8n: stage.n8n, account, name: `${kind} ${name}` });

	return {
		title: `${fileCount} files of 50 kB, ${kind} upload`,
		unit: 'seconds',
		prepare: async () => await service.control.reset(),
		check: async () => await requireAllOnce(service, fileCount),
		roundsForOne: 3,
		contenders: [
			{ name: ours, ...(await ourUpload(place('this node'), folder, kind)) },
			{ name: atOnce, ...(await coreUpload(place('at once'), folder, kind)) },
			...uploadsAlone(service, folder, kind),
		],
		goals: [
			{ of: ours, by: atOnce, atMost: 1.2 },
			{ of: helperAlone, by: ours, atLeast: 0.8 },
		],
	};
}
