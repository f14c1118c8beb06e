import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
	method?: string;
	url?: string;
	headers: IncomingHttpHeaders;
}

/** A server on another origin than the service's, which notes what it is sent. */
export async function startOtherServer() {
	const received: ReceivedRequest[] = [];
	const server = createServer(({ method, url, headers }, response) => {
		received.push({ method, url, headers });
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[],"total":0}');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		received,
		stop: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
