import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import { chain, extractionNode, extractionNodeName, manualTrigger } from '../../n8n/workflow.ts';
import type { Stage } from '../stage.ts';

const getMany = (parameters: INodeParameters) =>
	chain('Extraction results', [
		manualTrigger,
		extractionNode({ resource: 'extraction', operation: 'getAll', simple: false, ...parameters }),
	]);

export default ({ account, run }: Stage) => {
	test('returns all results in order, 200 a page', async () => {
		const used = await account();
		const { documentIds } = await used.service.control.seed({ documents: 1050 });

		const execution = await run(getMany({ returnAll: true }), used);

		assert.equal(execution.status, 'success', execution.errorMessage);
		assert.deepEqual(
			execution.items(extractionNodeName).map(({ json }) => json.document_id),
			documentIds,
		);
		const requests = await used.service.control.requests('getExtractions');
		assert.deepEqual(
			requests.map(({ query }) => query).sort((a, b) => Number(a.page) - Number(b.page)),
			[1, 2, 3, 4, 5, 6].map((page) => ({ page: String(page), limit: '200' })),
		);
	});

	test('returns as many as asked for', async () => {
		const used = await account();
		const { documentIds } = await used.service.control.seed({ documents: 20 });

		const execution = await run(getMany({ limit: 7 }), used);

		assert.deepEqual(
			execution.items(extractionNodeName).map(({ json }) => json.document_id),
			documentIds.slice(0, 7),
		);
	});

	test('returns no item, and no error, where there is no result', async () => {
		const execution = await run(getMany({ returnAll: true }), await account());

		assert.equal(execution.status, 'success', execution.errorMessage);
		assert.deepEqual(execution.items(extractionNodeName), []);
	});
};
