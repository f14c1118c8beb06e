import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../../../test/support/service.ts';
import { PROFILES } from '../../../test/support/serviceContract.ts';
import { until } from '../../machine/until.ts';
import { exampleFile } from '../../n8n/example.ts';
import { chain, credentialType, extractionNode, manualTrigger } from '../../n8n/workflow.ts';
import type { EditorPage } from '../editor/editorPage.ts';
import { accountWithResults } from '../stage/accounts.ts';
import { live } from '../stage/live.ts';
import { sampleNames, samples } from '../stage/samples.ts';

/** In a file of which every column has a value. */
const number = 'HS-2024-0417';
const file = sampleNames.find((name) => name.startsWith('invoice-harbour')) ?? '';

const nodeName = 'Extract values';

/** What the first four fields take in an environment. */
const accessOf = ({ account, url }: Service, environment: 'test' | 'live') => {
	const { keys, workflows } = account.environments[environment];
	return { baseUrl: url, apiKey: keys.full, workflowId: workflows.main.id };
};

/** Opens the credential again, for what was copied or is typed. */
async function correct(editor: EditorPage, change: 'instead' | 'below' | Record<string, string>) {
	await editor.reopenCredential();
	if (typeof change === 'string') await editor.paste('apiDetails', change);
	else await editor.fillCredential(change);
	await editor.saveCredential();
	await editor.closeCredential();
}

/**
 * Does what the output of the node says until there is a row.
 * @returns how often something had to be chosen of several
 */
async function followAdvice(editor: EditorPage, idField: string): Promise<number> {
	let lines = '';
	const output = editor.output();
	const failure = output.locator('.node-error-view__header');
	const hint = output.getByTestId('node-hint').filter({ hasText: 'You are getting raw JSON' });
	const row = output.getByText(number);
	const again = async (apiDetails?: string) => {
		if (apiDetails === undefined) await correct(editor, 'below');
		else await correct(editor, { apiDetails });
		const before = await output.innerText();
		await editor.executeStep();
		await until(async () => {
			const now = await output.innerText();
			return now !== before && !now.includes('Executing');
		});
	};
	for (let decisions = 0; ; ) {
		await failure.or(hint).or(row).first().waitFor({ timeout: 60_000 });
		if (await hint.count()) {
			// As its user finds it: the line with the values of the document.
			await editor.copy(hint, hint, number);
			await again();
			decisions++;
			continue;
		}
		if (!(await failure.count())) return decisions;
		const said = await failure.innerText();
		const [, line] = /add the line (Upload File Field: \S+)/.exec(said) ?? [];
		if (line) {
			lines = line;
			await again(lines);
		} else {
			assert.match(said, /has no document ID/);
			lines += `\nDocument ID Field: ${idField}`;
			await again(lines);
			decisions++;
		}
	}
}

/** Sends a document by the form of the example that was imported, which n8n opens in a window of its own. */
async function sendDocument(editor: EditorPage) {
	const opened = editor.page.waitForEvent('popup');
	await editor.executeStep();
	const form = await opened;
	await editor.step(`choose ${file}`, async () => {
		await form.locator('input[type=file]').setInputFiles(join(samples, file));
	});
	await editor.click(form.getByRole('button', { name: 'Submit' }), 'Submit');
}

async function assertRow(editor: EditorPage, most: number) {
	const steps = editor.takeSteps();
	const [row] = await editor.outputTable();
	assert.equal(row['Document number'], number);
	console.log(`${steps.length} steps, of at most ${most}\n${steps.join('\n')}`);
	assert.ok(steps.length <= most, steps.join('\n'));
}

/** Makes the credential of the node that is open. */
async function fillNewCredential(editor: EditorPage, fields: Record<string, string>) {
	await editor.openNewCredential();
	await editor.fillCredential(fields);
	await editor.saveCredential();
	await editor.untilCredentialIsChosen();
}

live('a first row without a look at the API reference', { everyProfile: true }, async (stage) => {
	const { service, profile } = stage;
	const editor = await stage.openEditor((await stage.inN8n({})).n8n);
	await editor.openNewWorkflow();
	editor.takeSteps();

	await editor.importFile(exampleFile('form-upload'));
	await editor.openNode(nodeName);
	// The last one as the field's placeholder shows it.
	const apiDetails = 'Upload File Field: file';
	await fillNewCredential(editor, { ...accessOf(service, 'test'), apiDetails });
	await sendDocument(editor);
	const decisions = await followAdvice(editor, service.account.apiDetails.documentIdField);
	// Where an upload's response names the document otherwise, its field has to be chosen, too.
	assert.equal(decisions, profile === PROFILES[0] ? 1 : 2);
	await assertRow(editor, 30);
});

live('a first row with an OpenAPI document', async ({ keep, inN8n, openEditor }) => {
	const service = await keep(accountWithResults(PROFILES[0]));
	const editor = await openEditor((await inN8n({})).n8n);
	await editor.openNewWorkflow();
	editor.takeSteps();

	await editor.addAction('Check setup of credential');
	await fillNewCredential(editor, accessOf(service, 'test'));
	await editor.executeStep();
	await editor.showOutputAs('Table');
	const row = (index: number) => editor.output().locator('tbody tr').nth(index);
	await editor.copy(row(0).locator('td').nth(1));
	await correct(editor, 'instead');
	// The one decision: the line that shows the own values.
	const choices = row(1).locator('.n8n-tree > div');
	await editor.copy(choices.filter({ hasText: number }).first());
	await correct(editor, 'below');
	await editor.closeNode();

	await editor.pasteWorkflow(await readFile(exampleFile('form-upload'), 'utf8'));
	await editor.openNode(nodeName);
	await sendDocument(editor);
	await editor.output().getByText(number).first().waitFor();
	await assertRow(editor, 28);
});

live('the credential for live is filled in with few steps', { tls: true }, async (stage) => {
	const { n8n } = await stage.inN8n({});
	const editor = await stage.openEditor(n8n);
	const credential = await n8n.createCredential(
		credentialType,
		'Document Extraction account',
		stage.service.credential(),
	);
	const node = extractionNode({ resource: 'extraction', operation: 'getAll' });
	const flow = chain('Results', [manualTrigger, node]);
	await editor.openWorkflow(await n8n.importWorkflow(flow, [credential]));
	await editor.openNode(node.name);
	await editor.reopenCredential();
	editor.takeSteps();
	// While the window is open for the last line that the credential for test lacked.
	await editor.copyField('apiDetails');
	const steps = editor.takeSteps();
	await editor.closeCredential();
	editor.takeSteps();

	await editor.openAnotherCredential();
	await editor.choose('environment', 'Live');
	await editor.fillCredential(accessOf(stage.service, 'live'));
	await editor.paste('apiDetails');
	await editor.saveCredential();
	await editor.untilCredentialIsChosen();
	steps.push(...editor.takeSteps());
	console.log(`live: ${steps.length} steps\n${steps.join('\n')}`);
	assert.ok(steps.length <= 8, steps.join('\n'));
});
