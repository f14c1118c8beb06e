import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRows } from '../rows.ts';
import type { Stage } from '../stage.ts';

const example = 'nightly-results';
const trigger = 'Every night';
const documents = 450;

export default ({ service, importExample, run, refuse, folder }: Stage) => {
	test('writes all results, of every page, to a table', async () => {
		const { documentIds } = await service.control.seed({ documents });

		const execution = await run(await importExample(example), trigger);

		const cells = (await csvRows(folder(), 'results')).map((row) => new Set(Object.values(row)));
		assert.equal(cells.length, execution.items('Get all results').length);
		const missing = documentIds.filter((id) => !cells.some((row) => row.has(id)));
		assert.deepEqual(missing, []);
		const pages = await service.control.requests('getExtractions');
		assert.ok(pages.length > 1);
	});

	test('writes down why results cannot be read', async () => {
		await refuse('getExtractions', 'Not now', { times: undefined });

		await run(await importExample(example), trigger);

		const [{ reason }, ...more] = await csvRows(folder(), 'reasons');
		assert.deepEqual(more, []);
		assert.match(String(reason), /The service says: Not now/);
	});
};
