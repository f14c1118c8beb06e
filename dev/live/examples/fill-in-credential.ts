import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import { settings } from '../../n8n/example.ts';
import type { Execution } from '../../n8n/execution.ts';
import { credentialType } from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';

const itemOf = (execution: Execution, apiDetail: string) =>
	execution.items('Check again').find(({ json }) => json.apiDetail === apiDetail)?.json ?? {};

live('writes what Check Setup finds into the credential, which then gives rows', async (stage) => {
	const { n8n, service, importExample, run } = stage;
	// Somebody has tried the service: there are results of several documents to look at.
	await service.control.seed({ documents: 2 });
	const { environment, baseUrl, apiKey, workflowId } = service.credential();
	const newcomer = await n8n.createCredential(credentialType, 'Newcomer', {
		environment,
		baseUrl,
		apiKey,
		workflowId,
		// As the credential's window begins.
		apiDetails: '',
	});
	const n8nApi = await n8n.createApiCredential(['credential:update']);
	const { documentIdField } = service.account.apiDetails;
	const setup: INodeParameters = { openApiDocument: service.account.openApiUrl };
	const runWith = async (rows: string) => {
		const Settings = settings({
			n8n: n8n.url,
			credentialId: newcomer.id,
			lines: `${rows}\nDocument ID Field: ${documentIdField}`,
		});
		const entries = { 'Check Setup': setup, 'Check again': setup, Settings };
		return await run(await importExample('fill-in-credential', entries, [n8nApi, newcomer]));
	};

	// As its user does who looks for the line with the own row.
	const first = await runWith('');
	const choices = itemOf(first, 'Rows').choices as string[];
	const own = choices.find((line) => line.includes('Document number: SEED-1'));
	const second = await runWith(String(own));

	const left = itemOf(second, 'All Entries');
	assert.match(String(left.enter), /Upload File Field: [^]+Rows: /);
	assert.match(String(left.why), /^Nothing else is required/);
	assert.doesNotMatch(JSON.stringify(second.items('Check again')), /Does not work now/);
	assert.match(String(itemOf(second, 'Rows').why), /^It gives this row: Document number: /);
});
