import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { chain, extractionNode, extractionNodeName, manualTrigger } from '../../n8n/workflow.ts';
import type { Fault } from '../../service/faults.ts';
import { live } from '../stage/live.ts';

const ROWS = 20_000;
/** All of it: n8n stores as many items, and gives them back to whoever asks. */
const MOST_MS = 30_000;
/** n8n writes the items as one text, in which time it answers nothing, whatever node they are from. */
const LONGEST_SILENCE_MS = 5_000;

const lines = Array.from({ length: ROWS }, (_, row) => ({ Article: `A-${row}`, Amount: row }));
const results: Fault = {
	type: 'status',
	status: 200,
	body: {
		total: 1,
		page: 1,
		limit: 200,
		pages: 1,
		items: [{ document_id: 'doc_1', values: { Number: 'R-1', Lines: lines } }],
	},
};

const workflow = chain('Rows of a long table', [
	manualTrigger,
	extractionNode({
		resource: 'extraction',
		operation: 'getAll',
		returnAll: true,
		options: { rowsOf: { __rl: true, mode: 'name', value: 'Lines' } },
	}),
]);

/** How long n8n answered nothing at most, in ms, until it is asked for that. */
function watch(url: string) {
	let isWatched = true;
	let longestMs = 0;
	const watching = (async () => {
		while (isWatched) {
			const askedAt = performance.now();
			await (await fetch(`${url}/healthz`)).text();
			longestMs = Math.max(longestMs, performance.now() - askedAt);
			await sleep(20);
		}
	})();
	return async () => {
		isWatched = false;
		await watching;
		return longestMs;
	};
}

live(`${ROWS} rows take seconds, and n8n answers meanwhile`, async ({ n8n, service, run }) => {
	await service.control.faults([{ match: { operation: 'getExtractions' }, fault: results }]);
	const longestSilence = watch(n8n.url);
	const startedAt = performance.now();

	const execution = await run(workflow);

	const tookMs = performance.now() - startedAt;
	const silentMs = await longestSilence();
	const items = execution.items(extractionNodeName).map(({ json }) => json);
	assert.equal(items.length, ROWS);
	assert.deepEqual(items.at(-1), {
		documentId: 'doc_1',
		Number: 'R-1',
		row: ROWS,
		'Lines Article': `A-${ROWS - 1}`,
		'Lines Amount': ROWS - 1,
	});
	assert.ok(tookMs < MOST_MS, `took ${tookMs} ms`);
	assert.ok(silentMs < LONGEST_SILENCE_MS, `silent for ${silentMs} ms`);
});
