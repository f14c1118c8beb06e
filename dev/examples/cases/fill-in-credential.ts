import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import { credentialType } from '../../n8n/workflow.ts';
import { settingsOf } from '../../n8n/example.ts';
import type { Stage } from '../stage.ts';

export default ({ n8n, service, profile, importExample, run }: Stage) => {
	const newcomer = async () => {
		const { environment, baseUrl, apiKey, workflowId } = service.credential();
		return await n8n.createCredential(credentialType, 'Newcomer', {
			environment,
			baseUrl,
			apiKey,
			workflowId,
			// As the credential's window begins.
			documentIdField: 'document_id',
		});
	};

	const n8nApi = async () => {
		const { rawApiKey } = await n8n.rest.post<{ rawApiKey: string }>('/api-keys', {
			label: 'Fill in the credential',
			scopes: ['credential:update'],
			expiresAt: null,
		});
		return await n8n.createCredential('n8nApi', 'n8n API', {
			apiKey: rawApiKey,
			baseUrl: `${n8n.url}/api/v1`,
		});
	};

	test('writes what Check Setup finds into the credential, which then gives rows', async () => {
		// Somebody has tried the service: there are results of several documents to look at.
		const { columns } = service.account.environments.test.workflows.main;
		const extractionsPerDocument = profile === 'borealis' ? columns.length : 1;
		await service.control.seed({ documents: 2, extractionsPerDocument });
		const credential = await newcomer();
		const api = await n8nApi();
		const { documentIdField } = service.account.apiDetails;
		const setup: INodeParameters = { openApiDocument: service.account.openApiUrl };
		const runWith = async (rows: string) => {
			const workflowId = await importExample(
				'fill-in-credential',
				{
					'Check Setup': setup,
					'Check again': setup,
					Settings: await settingsOf('fill-in-credential', {
						n8n: n8n.url,
						credentialId: credential.id,
						rows,
						decided: JSON.stringify({ documentIdField }),
					}),
				},
				[api, credential],
			);
			return await run(workflowId);
		};
		const itemOf = (execution: Awaited<ReturnType<typeof run>>, node: string, name: string) =>
			execution.items(node).find(({ json }) => json.apiDetail === name)?.json;

		// As its user does who looks for the line with the own row.
		const first = await runWith('');
		const { choices } = itemOf(first, 'Check again', 'Rows') ?? {};
		const own = (choices as string[]).find((line) => line.includes('Document number: SEED-1'));
		const second = await runWith(String(own));

		const left = itemOf(second, 'Check again', 'All Entries');
		assert.doesNotMatch(String(left?.enter), /Upload File Field|Document ID Field|Rows/);
		assert.doesNotMatch(JSON.stringify(second.items('Check again')), /Wrong now/);
		assert.match(String(itemOf(second, 'Check again', 'Rows')?.why), /^A row: Document number: /);
	});
};
