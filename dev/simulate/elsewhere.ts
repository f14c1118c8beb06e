import { startLocalServer } from '../../test/support/localServer.ts';
import type { VirtualNetwork } from '../virtual/network.ts';

/** A server that nobody should ever send a request to: redirects point at it. */
export async function startElsewhere(network?: VirtualNetwork) {
	const received: string[] = [];
	const server = await startLocalServer((request, response) => {
		received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
		response.writeHead(200, { 'content-type': 'application/json' });
		request.resume().on('end', () => response.end('{"items":[],"total":0}'));
	}, network);
	return { ...server, received };
}
