import assert from 'node:assert/strict';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live } from '../stage/live.ts';
import { startProxy } from '../stage/proxy.ts';
import { sampleNames, samples } from '../stage/samples.ts';

const refusal = `HTTP/1.1 407 Proxy Authentication Required
proxy-authenticate: Basic realm="Head office"
content-type: text/html
content-length: 13
connection: close

Access denied`.replaceAll('\n', '\r\n');

live(
	'a proxy that wants a password is named, and files are not blamed',
	{ tls: true, ownN8n: true },
	async ({ service, keep, inN8n }) => {
		const proxy = await keep(startProxy((socket) => socket.end(refusal)));
		const { run } = await inN8n({ env: { HTTPS_PROXY: proxy.url } });

		const execution = await run(emailsThrough(samples, {}, { onError: 'continueErrorOutput' }));

		const failed = execution.items(extractionNodeName, 1);
		assert.equal(failed.length, sampleNames.length);
		for (const { json } of failed) {
			assert.equal(
				json.error,
				'The proxy between n8n and the service needs a user name and password (407)',
			);
			assert.match(String(json.message), /This request did not reach the service\..+HTTPS_PROXY/);
		}
		assert.deepEqual(await service.control.requests(), []);
	},
);
