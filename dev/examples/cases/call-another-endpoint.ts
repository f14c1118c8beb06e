import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from '../stage.ts';

// What the credential refuses in HTTP Request: dev/e2e/cases/httpRequestNode.ts.
export default ({ service, importExample, run }: Stage) => {
	const { id } = service.account.environments.test.workflows.main;
	const [method, path] = service.account.apiDetails.workflowEndpoint.split(' ');

	test('calls the service with the key of the credential', async () => {
		const url = `${service.url}/api/v1${path.replace('{workflow_id}', id)}`;
		const workflow = await importExample('call-another-endpoint', {
			'Call the service': { method, url },
		});

		const execution = await run(workflow);

		assert.ok(JSON.stringify(execution.items('Call the service')[0].json).includes(id));
		const [{ headers }] = await service.control.requests('getWorkflow');
		assert.equal(headers.authorization, `Bearer ${String(service.credential().apiKey)}`);
	});
};
