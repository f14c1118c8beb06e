import assert from 'node:assert/strict';
import { documents } from '../documents.ts';
import type { Case } from '../stage.ts';

const documentCount = 40;
const atOnce = 10;

export const sharedFilesystem: Case = {
	title: 'files reach the workers unchanged through a folder that they share with the main',

	run: async ({ cluster, intake, assertAllOnce }) => {
		const sent = documents(documentCount);

		const answers = await intake.sendAll(sent, atOnce);

		await assertAllOnce(sent, answers);
		const taken = await Promise.all(
			cluster.workers.map(async (worker) => await worker.executionIds()),
		);
		assert.ok(taken.every(({ length }) => length > 0));
		const [[inDatabase]] = await cluster.postgres.query('SELECT count(*) FROM binary_data');
		assert.equal(inDatabase, '0', 'no file went through the database');
	},
};
