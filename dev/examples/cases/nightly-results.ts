import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Stage } from '../stage.ts';
import { csvRows } from '../stated.ts';

const documents = 450;

export default ({ n8n, service, importExample, newFolder }: Stage) => {
	test('writes all results, of every page, to a table', async () => {
		const { documentIds } = await service.control.seed({ documents });
		const table = join(await newFolder(), 'results.csv');
		const workflow = await importExample('nightly-results', { 'Save table': { fileName: table } });

		const execution = await n8n.runManually(workflow, { trigger: 'Every night' });

		assert.equal(execution.status, 'success', execution.errorMessage);
		const cells = (await csvRows(table)).map((row) => new Set(Object.values(row)));
		assert.equal(cells.length, execution.items('Get all results').length);
		const missing = documentIds.filter((id) => !cells.some((row) => row.has(id)));
		assert.deepEqual(missing, []);
		const pages = await service.control.requests('getExtractions');
		assert.ok(pages.length > 1);
	});

	test('writes down why results cannot be read', async () => {
		await service.control.faults([
			{
				match: { operation: 'getExtractions' },
				fault: { type: 'status', status: 400, body: { detail: 'Not now' } },
			},
		]);
		const reasons = join(await newFolder(), 'reasons.csv');
		const workflow = await importExample('nightly-results', {
			'Save reasons': { fileName: reasons },
		});

		const execution = await n8n.runManually(workflow, { trigger: 'Every night' });

		assert.equal(execution.status, 'success', execution.errorMessage);
		const [{ reason }, ...more] = await csvRows(reasons);
		assert.deepEqual(more, []);
		assert.match(String(reason), /The service says: Not now/);
	});
};
