import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live, type StageInN8n } from '../stage/live.ts';
import { startProxy } from '../stage/proxy.ts';
import { sampleNames, samples } from '../stage/samples.ts';

const refusal =
	'HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nNo';

/** Refuses the first connections, and then makes all. */
const refusing = (times: number, { service }: Pick<StageInN8n, 'service'>) => {
	let connections = 0;
	return (socket: Socket) => {
		socket.on('error', () => {});
		if (++connections <= times) {
			socket.end(refusal);
			return;
		}
		const { hostname, port } = new URL(service.url);
		const server = connect(Number(port), hostname);
		server.on('error', () => socket.destroy());
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		socket.pipe(server).pipe(socket);
	};
};

const flow = emailsThrough(samples, {}, { onError: 'continueErrorOutput' });

live(
	'nothing can have arrived, so it is tried again',
	{ tls: true, n8n: ['oldest'] },
	async (stage) => {
		const proxy = await stage.keep(startProxy(refusing(5, stage)));
		const { run } = await stage.inN8n({ env: { HTTPS_PROXY: proxy.url } });

		const execution = await run(flow);

		assert.deepEqual(execution.items(extractionNodeName, 1), []);
		const { uploads } = await stage.service.control.ledger();
		assert.deepEqual(uploads.map(({ fileName }) => fileName).sort(), sampleNames);
	},
);

live('the proxy is named', { tls: true, n8n: ['oldest'] }, async (stage) => {
	const proxy = await stage.keep(startProxy(refusing(Infinity, stage)));
	const { run } = await stage.inN8n({ env: { HTTPS_PROXY: proxy.url } });

	const execution = await run(flow);

	const failed = execution.items(extractionNodeName, 1);
	assert.equal(failed.length, sampleNames.length);
	for (const { json } of failed) {
		assert.equal(json.error, 'The service cannot be reached');
		assert.match(String(json.message), /\(502 from a proxy\)/);
		assert.doesNotMatch(String(json.message), /The outcome is unknown/);
	}
});

// This n8n does not show whose response it is.
live(
	'nothing is uploaded twice where n8n does not show who responded',
	{ tls: true, n8n: ['newest'] },
	async (stage) => {
		const proxy = await stage.keep(startProxy(refusing(2, stage)));
		const { run } = await stage.inN8n({ env: { HTTPS_PROXY: proxy.url } });

		const execution = await run(flow);

		for (const { json } of execution.items(extractionNodeName, 1)) {
			assert.match(String(json.message), /a proxy or firewall on the way.*The outcome is unknown/s);
		}
		const { uploads } = await stage.service.control.ledger();
		const names = uploads.map(({ fileName }) => fileName);
		assert.equal(new Set(names).size, names.length);
		assert.equal(names.length, execution.items(extractionNodeName).length);
	},
);
