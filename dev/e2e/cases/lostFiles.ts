import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../../machine/until.ts';
import { type RunningN8n, startN8n } from '../../n8n/server.ts';
import {
	chain,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
	readFiles,
	type WorkflowNode,
} from '../../n8n/workflow.ts';
import { sampleNames, samples, type Stage } from '../stage.ts';

/** Long enough to lose files meanwhile. */
const wait: WorkflowNode = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { resume: 'timeInterval', amount: 10, unit: 'seconds' },
};

/** The files that n8n has stored for executions, with their descriptions. */
async function storedFiles(userFolder: string): Promise<string[]> {
	const entries = await readdir(userFolder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile() && entry.parentPath.endsWith('binary_data'))
		.map((entry) => join(entry.parentPath, entry.name));
}

/** n8n's storage loses files while an execution waits, as if a worker did not see the main's folder. */
export default ({ n8n: { version }, account }: Stage) => {
	let n8n: RunningN8n;

	before(async () => {
		n8n = await startN8n({
			version,
			binaryMode: 'filesystem',
			env: { N8N_RESTRICT_FILE_ACCESS_TO: samples },
		});
	});
	after(async () => await n8n.stop());

	for (const [what, isLost] of [
		['files with their descriptions', () => true],
		['files alone', (path: string) => !path.endsWith('.metadata')],
	] as const) {
		test(`${what} that are gone leave by the error output, which says what to do`, async () => {
			const { service } = await account();
			const credential = await n8n.createCredential(
				credentialType,
				'Lost files',
				service.credential(),
			);
			const upload = extractionNode(
				{ resource: 'document', operation: 'upload', uploadMethod: 'direct' },
				{ onError: 'continueErrorOutput' },
			);
			const nodes = [manualTrigger, readFiles(`${samples}/*.pdf`), wait, upload];
			const workflow = await n8n.importWorkflow(chain('Lost files', nodes), [credential]);

			const running = n8n.runManually(workflow);
			const stored = await until(async () => {
				const files = await storedFiles(n8n.userFolder);
				return files.length >= 2 * sampleNames.length ? files : undefined;
			});
			for (const path of stored.filter(isLost)) await rm(path);
			const execution = await running;

			assert.equal(execution.status, 'success', execution.errorMessage);
			assert.deepEqual(execution.items(extractionNodeName), []);
			const failed = execution.items(extractionNodeName, 1);
			assert.deepEqual(
				failed.map(({ json }) => json.error).sort(),
				sampleNames.map((name) => `n8n has lost the file ${name}`),
			);
			for (const { json } of failed) {
				assert.match(String(json.message), /N8N_DEFAULT_BINARY_DATA_MODE=database/);
			}
			assert.deepEqual((await service.control.ledger()).uploads, []);
		});
	}
};
