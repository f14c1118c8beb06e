import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { VirtualNetwork } from '../../dev/virtual/network';

export interface ReceivedRequest {
	method?: string;
	url?: string;
	headers: IncomingHttpHeaders;
}

/** A server on another origin than the service's, which notes what it is sent. */
export function startOtherServer(network: VirtualNetwork) {
	const received: ReceivedRequest[] = [];
	const server = createServer(({ method, url, headers }, response) => {
		received.push({ method, url, headers });
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[],"total":0}');
	});
	return { url: network.listen(server), received };
}
