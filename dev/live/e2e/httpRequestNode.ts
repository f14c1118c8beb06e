import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import { chain, httpRequest, manualTrigger } from '../../n8n/workflow.ts';
import { live, type Stage } from '../stage/live.ts';
import { startProxy } from '../stage/proxy.ts';

/** HTTP Request, and a server that tells what reaches it. */
async function openRequests({ service, attempt, keep }: Stage, typeVersion: number) {
	const heard: string[] = [];
	const elsewhere = await keep(
		startProxy(
			(socket) => {
				heard.push('CONNECT');
				socket.destroy();
			},
			(request, response) => {
				heard.push(JSON.stringify(request.headers));
				response.end('{}');
			},
		),
	);
	const { workflowId } = service.owner('test');
	const url = `${service.url}/api/v1/workflows/${workflowId}/extractions`;
	const request = async (parameters: INodeParameters = {}) =>
		await attempt(
			chain('HTTP Request', [
				manualTrigger,
				httpRequest('HTTP Request', { url, ...parameters }, { typeVersion }),
			]),
		);
	return { elsewhere: elsewhere.url, heard, request };
}

const host = { name: 'Host', value: 'elsewhere.example' };

/**
 * Each version of the node takes the parameters that it knows. In which other forms a request may ask for
 * it: test/credential.test.ts.
 */
const refused = (elsewhere: string): Record<string, INodeParameters> => ({
	"has a 'Host' header": {
		sendHeaders: true,
		headerParameters: { parameters: [host] },
		headerParametersUi: { parameter: [host] },
	},
	'does not check certificates (Ignore SSL Issues)': {
		allowUnauthorizedCerts: true,
		options: { allowUnauthorizedCerts: true },
	},
	'uses its own proxy': { options: { proxy: elsewhere } },
	'This credential only works for https://127.0.0.1': { url: elsewhere },
});

// Up to version 2 the node is another program than from version 3 on.
for (const version of [2, 4.2]) {
	live(`version ${version} gives the key to nobody else`, { tls: true }, async (stage) => {
		const { elsewhere, heard, request } = await openRequests(stage, version);
		const { control, url, owner } = stage.service;
		const right = await request();
		assert.equal(right.status, 'success', right.errorMessage);
		const [{ headers }] = await control.requests('getExtractions');
		assert.equal(headers.authorization, `Bearer ${owner('test').apiKey}`);

		await control.reset();
		for (const [reason, parameters] of Object.entries(refused(elsewhere))) {
			const { status, errorMessage = '' } = await request(parameters);
			assert.equal(status, 'error', reason);
			assert.ok(errorMessage.includes(reason), errorMessage);
			assert.deepEqual([await control.requests(), heard], [[], []], reason);
		}

		// It follows no redirect either, however it is told to.
		const redirect = { redirect: { followRedirects: true, maxRedirects: 5 } };
		const options = { redirect, followRedirect: true, followAllRedirects: true };
		for (const code of [301, 302, 303, 307, 308]) {
			for (const origin of [elsewhere, url]) {
				await control.reset();
				const location = `${origin}/elsewhere`;
				await control.faults([{ fault: { type: 'redirect', status: code, location } }]);
				const { status } = await request({ options });
				assert.equal(status, 'error', String(code));
				assert.equal((await control.requests()).length, 1);
				assert.deepEqual(heard, []);
			}
		}

		// Without this credential it does what it is told to, and is heard.
		await request({ authentication: 'none', options: { proxy: elsewhere } });
		assert.deepEqual(heard, ['CONNECT']);
	});
}
