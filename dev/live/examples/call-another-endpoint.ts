import assert from 'node:assert/strict';
import { live } from '../stage/live.ts';

// What the credential refuses in HTTP Request: dev/live/e2e/httpRequestNode.ts.
live('calls the service with the key of the credential', async (stage) => {
	const {
		service,
		workflow: { id },
		importExample,
		run,
	} = stage;
	const [method, path] = service.account.apiDetails.workflowEndpoint.split(' ');
	const url = `${service.url}/api/v1${path.replace('{workflow_id}', id)}`;

	const execution = await run(
		await importExample('call-another-endpoint', { 'Call the service': { method, url } }),
	);

	assert.ok(JSON.stringify(execution.items('Call the service')[0].json).includes(id));
	const [{ headers }] = await service.control.requests('getWorkflow');
	assert.equal(headers.authorization, `Bearer ${String(service.credential().apiKey)}`);
});
