import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A proxy on this machine: what it does with a client that wants a connection to a host. */
export async function startProxy(
	connect: (socket: Socket, host: string) => void,
	request?: RequestListener,
) {
	const connections = new Set<Socket>();
	const proxy = createServer(request);
	proxy.on('connection', (socket) => connections.add(socket));
	proxy.on('connect', ({ url = '' }, socket: Socket) => connect(socket, url));
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
	return {
		url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		stop: async () => {
			for (const socket of connections) socket.destroy();
			proxy.close();
			await once(proxy, 'close');
		},
	};
}
