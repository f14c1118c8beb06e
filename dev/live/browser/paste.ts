import assert from 'node:assert/strict';
import { ALL_DETAILS, API_DETAILS } from '../../../nodes/DocumentExtraction/account/apiDetails.ts';
import { readLines } from '../../../nodes/DocumentExtraction/account/lines.ts';
import {
	chain,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
} from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';

const labels = ALL_DETAILS.map((detail) => API_DETAILS[detail].label);
const read = (text: string) => Object.fromEntries(readLines(text, labels));

const comment = '# Of our account';

/** What shows the text of All Entries in n8n's views. */
const VIEWS: Record<string, string> = {
	Table: 'tbody td',
	JSON: '.vjs-tree-node',
	Schema: '[data-test-id="run-data-schema-item"]',
};

for (const version of ['newest', 'oldest'] as const) {
	live(`what n8n's views show is pasted into the credential, ${version}`, async (stage) => {
		const { n8n } = await stage.inN8n({ version });
		const editor = await stage.openEditor(n8n);
		const entered = stage.service.credential();
		const credential = await n8n.createCredential(credentialType, 'Account', {
			...entered,
			apiDetails: `${comment}\n${String(entered.apiDetails)}`,
		});
		const node = extractionNode({ resource: 'workflow', operation: 'checkSetup' });
		const flow = chain('Check Setup', [manualTrigger, node]);
		await editor.openWorkflow(await n8n.importWorkflow(flow, [credential]));
		await editor.openNode(extractionNodeName);
		await editor.executeStep();
		await editor.outputTable();
		for (const [view, selector] of Object.entries(VIEWS)) {
			await editor.showOutputAs(view);
			const lines = editor.output().locator(selector);
			const ofText = (text: string) => lines.filter({ hasText: text }).first();
			await editor.copy(ofText(comment), ofText('Confirm Body: '));
			await editor.reopenCredential();
			await editor.paste('apiDetails');
			const pasted = await editor.parameter('apiDetails').locator('textarea').inputValue();
			assert.deepEqual(read(pasted), read(String(entered.apiDetails)), `${view}: ${pasted}`);
			await editor.saveCredential();
			assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
			await editor.closeCredential();
		}
	});
}
