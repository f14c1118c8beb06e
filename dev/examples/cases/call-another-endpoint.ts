import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import Fastify from 'fastify';
import type { Stage } from '../stage.ts';

interface Stranger {
	url: string;
	/** Authorization headers of the requests that reached it. */
	requests: Array<string | undefined>;
	close(): Promise<void>;
}

/** Another host, to which the key must never go. */
async function startStranger(): Promise<Stranger> {
	const requests: Stranger['requests'] = [];
	const server = Fastify();
	server.all('/*', (request) => {
		requests.push(request.headers.authorization);
		return {};
	});
	const url = await server.listen({ host: '127.0.0.1', port: 0 });
	return { url, requests, close: async () => await server.close() };
}

export default ({ n8n, service, importExample }: Stage) => {
	const { id } = service.account.environments.test.workflows.main;
	const [method, path] = service.account.apiDetails.workflowEndpoint.split(' ');
	const endpoint = `${service.url}/api/v1${path.replace('{workflow_id}', id)}`;
	const call = async (parameters: INodeParameters) =>
		await n8n.runManually(
			await importExample('call-another-endpoint', { 'Call the service': parameters }),
		);

	test('calls the service with the key of the credential', async () => {
		const execution = await call({ method, url: endpoint });

		assert.equal(execution.status, 'success', execution.errorMessage);
		assert.ok(JSON.stringify(execution.items('Call the service')[0].json).includes(id));
		const [{ headers }] = await service.control.requests('getWorkflow');
		assert.equal(headers.authorization, `Bearer ${String(service.credential().apiKey)}`);
	});

	test('sends nothing to another host', async (context) => {
		const stranger = await startStranger();
		context.after(async () => await stranger.close());

		const execution = await call({ url: `${stranger.url}/api/v1/anything` });

		assert.equal(execution.status, 'error');
		assert.match(execution.errorMessage ?? '', /This credential only works for/);
		assert.deepEqual(stranger.requests, []);
	});

	test('follows no redirect to another host', async (context) => {
		const stranger = await startStranger();
		context.after(async () => await stranger.close());
		await service.control.faults([
			{
				match: { operation: 'getWorkflow' },
				fault: { type: 'redirect', status: 302, location: `${stranger.url}/elsewhere` },
			},
		]);

		const execution = await call({ method, url: endpoint });

		assert.equal(execution.status, 'error');
		assert.equal((await service.control.requests('getWorkflow')).length, 1);
		assert.deepEqual(stranger.requests, []);
	});
};
