import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VirtualNetwork } from '../../dev/virtual/network';

/** An HTTP server on a free port of this machine, or on a network in this process. */
export async function startLocalServer(listener: RequestListener, network?: VirtualNetwork) {
	const server = createServer(listener);
	if (network) {
		return { url: network.listen(server), stop: async () => network.leave(server) };
	}
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		stop: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
