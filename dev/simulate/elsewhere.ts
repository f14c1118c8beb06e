import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that nobody should ever send a request to: redirects point at it. It listens nowhere yet. */
export function createElsewhere() {
	const received: string[] = [];
	const server = createServer((request, response) => {
		received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
		response.writeHead(200, { 'content-type': 'application/json' });
		request.resume().on('end', () => response.end('{"items":[],"total":0}'));
	});
	return { server, received };
}

/** The same on this machine. */
export async function startElsewhere() {
	const { server, received } = createElsewhere();
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
