import assert from 'node:assert/strict';
import { live } from '../stage/live.ts';
import { csvRows } from '../stage/tables.ts';

const example = 'nightly-results';
const trigger = 'Every night';

live(
	'writes all results, of every page, to a table',
	async ({ service, importExample, run, folder }) => {
		const { documentIds } = await service.control.seed({ documents: 450 });

		const execution = await run(await importExample(example), trigger);

		const cells = (await csvRows(folder, 'results')).map((row) => new Set(Object.values(row)));
		assert.equal(cells.length, execution.items('Get all results').length);
		const missing = documentIds.filter((id) => !cells.some((row) => row.has(id)));
		assert.deepEqual(missing, []);
		assert.ok((await service.control.requests('getExtractions')).length > 1);
	},
);

live('writes down why results cannot be read', async ({ importExample, run, refuse, folder }) => {
	await refuse('getExtractions', 'Not now', { times: undefined });

	await run(await importExample(example), trigger);

	const [{ reason }, ...more] = await csvRows(folder, 'reasons');
	assert.deepEqual(more, []);
	assert.match(String(reason), /The service says: Not now/);
});
