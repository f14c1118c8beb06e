import assert from 'node:assert/strict';
import { documents } from '../documents.ts';
import type { Case } from '../stage.ts';

const documentCount = 80;
const atOnce = 20;
const rate = { limit: 100, windowMs: 5_000 };
/** Two workers know of each other only by the service's answers. */
const tolerableShare = 1 / 4;
const leastUse = 1 / 3;

const percent = (share: number) => `${Math.round(share * 100)} %`;

export const rateLimit: Case = {
	title: 'two workers together respect the rate limit',

	run: async ({ service, intake, assertAllOnce }, context) => {
		await service.control.settings({ rate });
		const sent = documents(documentCount);

		const startedAt = Date.now();
		const answers = await intake.sendAll(sent, atOnce);
		const windows = (Date.now() - startedAt) / rate.windowMs;

		await assertAllOnce(sent, answers);

		const requests = await service.control.requests();
		const refused = requests.filter(({ status }) => status === 429).length;
		const share = refused / requests.length;
		const use = (requests.length - refused) / (windows * rate.limit);
		context.diagnostic(
			`${requests.length} requests, ${percent(share)} refused, ${percent(use)} of the allowed rate used`,
		);
		assert.ok(requests.length > 3 * rate.limit, 'the limit was in the way');
		assert.ok(share < tolerableShare, `${percent(share)} of the requests were refused`);
		assert.ok(use > leastUse, `only ${percent(use)} of the allowed rate was used`);
	},
};
