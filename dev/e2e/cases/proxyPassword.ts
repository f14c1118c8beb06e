import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { emailsThrough } from '../../demo/emails.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { type RunningN8n, startN8n } from '../../n8n/server.ts';
import { credentialFor } from '../../n8n/stage.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { sampleNames, samples, type Stage } from '../stage.ts';

const host = '127.0.0.1';

/** A proxy that lets nobody through without a password. */
async function startStrictProxy() {
	const asked: string[] = [];
	const proxy: Server = createServer();
	proxy.on('connect', ({ url = '' }, socket: Socket) => {
		asked.push(url);
		socket.end(
			'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="Head office"\r\ncontent-type: text/html\r\ncontent-length: 13\r\nconnection: close\r\n\r\nAccess denied',
		);
	});
	proxy.listen(0, host);
	await once(proxy, 'listening');
	const { port } = proxy.address() as AddressInfo;
	return { url: `http://${host}:${port}`, asked, stop: () => proxy.close() };
}

/** n8n reaches the service by a proxy that wants a user and a password, which n8n was not told. */
export default ({ n8n: { version }, secureAccount }: Stage) => {
	let n8n: RunningN8n;
	let credential: SavedCredential;
	let proxy: Awaited<ReturnType<typeof startStrictProxy>>;

	before(async () => {
		const { service } = await secureAccount();
		proxy = await startStrictProxy();
		n8n = await startN8n({
			version,
			env: {
				HTTPS_PROXY: proxy.url,
				N8N_RESTRICT_FILE_ACCESS_TO: samples,
				NODE_EXTRA_CA_CERTS: String(service.caFile),
			},
		});
		credential = await credentialFor(n8n, service);
	});
	after(async () => {
		await n8n.stop();
		proxy.stop();
	});

	test('the proxy is named, and no file is blamed or tried after the first', async () => {
		const workflow = emailsThrough(
			samples,
			{ binaryPropertyName: 'attachment_*' },
			{ onError: 'continueErrorOutput' },
		);
		const imported = await n8n.importWorkflow(workflow, [credential]);
		proxy.asked.splice(0);

		const execution = await n8n.runManually(imported);

		const failed = execution.items(extractionNodeName, 1);
		assert.equal(failed.length, sampleNames.length);
		for (const { json } of failed) {
			assert.equal(
				json.error,
				'The proxy between n8n and the service asks for a user and a password (407)',
			);
			assert.match(String(json.message), /“Head office”.+HTTPS_PROXY/);
		}
		// One look before the uploads, and one upload.
		assert.ok(proxy.asked.length <= 2, String(proxy.asked));
		const { service } = await secureAccount();
		assert.deepEqual(await service.control.requests(), []);
	});
};
