import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A proxy on this machine: what it does with a client that wants a connection, and with other requests. */
export async function startProxy(connect: (socket: Socket) => void, request?: RequestListener) {
	const connections = new Set<Socket>();
	const proxy = createServer(request);
	proxy.on('connection', (socket) => connections.add(socket));
	proxy.on('connect', (_request, socket: Socket) => connect(socket));
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
