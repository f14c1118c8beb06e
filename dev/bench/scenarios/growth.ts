import { join } from 'node:path';
import type { Contender, Scenario } from '../../measure/measure.ts';
import { ourRows, ourUpload } from '../flows/own.ts';
import { makeFiles, type Stage } from '../stage.ts';
import { requireAllOnce } from './ledger.ts';

const factors = [1, 3, 10];

const goal = (of: (factor: number) => string) => ({
	text: `time per unit at ${of(10)}, by that at ${of(1)}`,
	quantity: 'millisecondsEach',
	of: of(10),
	by: of(1),
	atMost: 1.15,
});

/** Whether ten times as many files take ten times as long. */
export async function growthOfFiles(stage: Stage): Promise<Scenario> {
	const account = await stage.account();
	const { service } = account;
	const nameOf = (factor: number) => `${factor * 300} files`;
	const contenders: Contender[] = [];
	for (const factor of factors) {
		const count = factor * 300;
		const name = nameOf(factor);
		const folder = await makeFiles(join(stage.folder, name), count, 50_000);
		const place = { n8n: stage.n8n, account, name: `growth ${name}` };
		const flow = await ourUpload(place, folder, 'direct');
		contenders.push({
			name,
			run: async () => {
				await service.control.reset();
				const { seconds } = await flow.run();
				await requireAllOnce(service, count);
				return { millisecondsEach: (seconds * 1000) / count, seconds };
			},
		});
	}
	return {
		id: 'growth-files',
		title: 'Growth: direct upload of 1×, 3×, 10× files of 50 kB',
		quantity: 'millisecondsEach',
		unit: 'ms each',
		contenders,
		goals: [goal(nameOf)],
	};
}

/** Whether ten times as many rows take ten times as long. */
export async function growthOfRows(stage: Stage): Promise<Scenario> {
	const account = await stage.account();
	const nameOf = (factor: number) => `${factor * 50},000 rows`;
	await account.service.control.seed({ documents: Math.max(...factors) * 50_000 });
	const contenders: Contender[] = [];
	for (const factor of factors) {
		const limit = factor * 50_000;
		const name = nameOf(factor);
		const flow = await ourRows({ n8n: stage.n8n, account, name: `growth ${name}` }, { limit });
		contenders.push({
			name,
			run: async () => {
				const { seconds, answer } = await flow.run();
				const [distinct] = Object.values((answer ?? {}) as Record<string, number>);
				if (distinct !== limit) throw new Error(`There were ${distinct} of ${limit} rows.`);
				return { millisecondsEach: (seconds * 1000) / limit, seconds };
			},
		});
	}
	return {
		id: 'growth-rows',
		title: 'Growth: 1×, 3×, 10× rows',
		prepare: async () => await account.service.control.clearRequests(),
		quantity: 'millisecondsEach',
		unit: 'ms each',
		contenders,
		goals: [goal(nameOf)],
	};
}
