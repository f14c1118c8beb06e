import { join } from 'node:path';
import { PROFILES } from '../../../test/support/profiles.ts';
import type { Contender, Scenario } from '../../measure/measure.ts';
import type { NodeSettings } from '../../n8n/workflow.ts';
import { batching, coreUpload } from '../flows/core.ts';
import { ourUpload } from '../flows/own.ts';
import { openRawClient } from '../rawClient.ts';
import type { Account } from '../../n8n/stage.ts';
import { makeFiles, type Stage } from '../stage.ts';
import { secondsFor } from '../timing.ts';
import { uploadsIn } from './ledger.ts';
import { concurrency } from './uploads.ts';

const fileCount = 300;
const perSecond = 50;
/** As often as it takes: undici's default of 5 fails the run. */
const maxRetries = 50;
const retryOnFail: NodeSettings = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 };

const upload = (
	name: string,
	{ service }: Account,
	run: () => Promise<{ seconds: number; succeeded: boolean }>,
): Contender => ({
	name,
	run: async () => {
		await service.control.reset();
		await service.control.settings({ rate: { limit: perSecond, windowMs: 1_000 } });
		const { seconds, succeeded } = await run();
		const requests = await service.control.requests('upload');
		const refused = requests.filter(({ status }) => status === 429).length;
		const share = (requests.length - refused) / seconds / perSecond;
		return {
			// The first burst can make it more than 1.
			share,
			refused,
			...(await uploadsIn(service, fileCount)),
			seconds,
			failed: succeeded ? 0 : 1,
		};
	},
});

const limiters = { atlas: 'fixed window', borealis: 'sliding window', cobalt: 'token bucket' };

/** The files again, with 50 requests a second allowed and 429 for the rest. */
export async function rateLimit(stage: Stage): Promise<Scenario> {
	const folder = await makeFiles(join(stage.folder, 'limited'), fileCount, 50_000);
	const { n8n } = stage;
	const ours: Contender[] = [];
	for (const profile of PROFILES) {
		const account = await stage.account({ profile });
		const name = `this node, ${limiters[profile]}`;
		const { run } = await ourUpload({ n8n, account, name }, folder, 'direct');
		ours.push(upload(name, account, run));
	}
	const account = await stage.account();
	const raw = openRawClient(account.service, concurrency, maxRetries);
	const core = async (what: string, options = {}, settings: NodeSettings = {}) => {
		const name = `HTTP Request, ${what}`;
		const flow = await coreUpload({ n8n, account, name }, folder, 'direct', options, settings);
		return upload(name, account, flow.run);
	};

	return {
		id: 'rate-limit',
		title: `${fileCount} files, direct upload, ${perSecond} requests/s allowed`,
		quantity: 'share',
		unit: '',
		warmUps: 0,
		contenders: [
			...ours,
			await core('plain'),
			// 50 a second is what n8n proposes, and happens to be what this service allows.
			await core('50 each second, Retry On Fail', batching(50, 1_000), retryOnFail),
			await core('25 each 250 ms, Retry On Fail', batching(25, 250), retryOnFail),
			upload(`undici's RetryAgent, ${concurrency} at a time`, account, async () => {
				let succeeded = true;
				const seconds = await secondsFor(() =>
					raw.uploadDirect(folder).catch(() => (succeeded = false)),
				);
				return { seconds, succeeded };
			}),
		],
		// The limiter lab holds the goals: here is one point of its range, in a real n8n.
		goals: [],
		close: async () => await raw.close(),
	};
}
