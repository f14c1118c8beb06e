import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live, type Stage } from '../stage/live.ts';
import { startProxy } from '../stage/proxy.ts';
import { sampleNames, samples } from '../stage/samples.ts';

/** What a proxy says in place of the service. */
const refusal = (status: string, ...headers: string[]) =>
	[
		`HTTP/1.1 ${status}`,
		...['content-type: text/html', 'content-length: 2', 'connection: close', ...headers],
		'',
		'No',
	].join('\r\n');

const noConnection = refusal('502 Bad Gateway');
const noPassword = refusal(
	'407 Proxy Authentication Required',
	'proxy-authenticate: Basic realm="Head office"',
);

/** Sends files through a proxy that refuses the first connections in these words, and then makes all. */
async function sendThrough(words: string, times: number, { keep, inN8n, service }: Stage) {
	let connections = 0;
	const take = (socket: Socket) => {
		socket.on('error', () => {});
		if (++connections <= times) {
			socket.end(words);
			return;
		}
		const { hostname, port } = new URL(service.url);
		const server = connect(Number(port), hostname);
		server.on('error', () => socket.destroy());
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		socket.pipe(server).pipe(socket);
	};
	const proxy = await keep(startProxy(take));
	const { run } = await inN8n({ env: { HTTPS_PROXY: proxy.url } });
	const execution = await run(emailsThrough(samples, {}, { onError: 'continueErrorOutput' }));
	const { uploads } = await service.control.ledger();
	return {
		failed: execution.items(extractionNodeName, 1).map(({ json }) => json),
		done: execution.items(extractionNodeName),
		uploads: uploads.map(({ fileName }) => fileName).sort(),
	};
}

const oldest = { tls: true, n8n: ['oldest'] } as const;

live('nothing can have arrived, so it is tried again', oldest, async (stage) => {
	const { failed, uploads } = await sendThrough(noConnection, 5, stage);

	assert.deepEqual(failed, []);
	assert.deepEqual(uploads, sampleNames);
});

live('the proxy is named', oldest, async (stage) => {
	const { failed } = await sendThrough(noConnection, Infinity, stage);

	assert.equal(failed.length, sampleNames.length);
	for (const { error, message } of failed) {
		assert.equal(error, 'The service cannot be reached');
		assert.match(String(message), /\(502 from a proxy\)/);
		assert.doesNotMatch(String(message), /The outcome is unknown/);
	}
});

// This n8n does not show whose response it is.
live(
	'nothing is uploaded twice where n8n does not show who responded',
	{ tls: true, n8n: ['newest'] },
	async (stage) => {
		const { failed, done, uploads } = await sendThrough(noConnection, 2, stage);

		for (const { message } of failed) {
			assert.match(String(message), /a proxy or firewall on the way.*The outcome is unknown/s);
		}
		assert.equal(new Set(uploads).size, uploads.length);
		assert.equal(uploads.length, done.length);
	},
);

live(
	'a proxy that wants a password is named, and files are not blamed',
	{ tls: true, ownN8n: true },
	async (stage) => {
		const { failed } = await sendThrough(noPassword, Infinity, stage);

		assert.equal(failed.length, sampleNames.length);
		for (const { error, message } of failed) {
			assert.equal(
				error,
				'The proxy between n8n and the service needs a user name and password (407)',
			);
			assert.match(String(message), /This request did not reach the service\..+HTTPS_PROXY/);
		}
		assert.deepEqual(await stage.service.control.requests(), []);
	},
);
