import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A server that nobody should ever send a request to: redirects point at it. */
export async function startElsewhere() {
	const received: string[] = [];
	const server = createServer((request, response) => {
		received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
		response.writeHead(200, { 'content-type': 'application/json' });
		request.resume().on('end', () => response.end('{"items":[],"total":0}'));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/`,
		received,
		stop: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
