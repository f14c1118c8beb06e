import type { IncomingHttpHeaders } from 'node:http';
import { startLocalServer } from '../support/localServer';

export interface ReceivedRequest {
	method?: string;
	url?: string;
	headers: IncomingHttpHeaders;
}

/** A server on another origin than the service's, which notes what it is sent. */
export async function startOtherServer() {
	const received: ReceivedRequest[] = [];
	const server = await startLocalServer(({ method, url, headers }, response) => {
		received.push({ method, url, headers });
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[],"total":0}');
	});
	return { ...server, received };
}
