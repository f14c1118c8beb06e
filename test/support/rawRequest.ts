import { once } from 'node:events';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';

/** Begins a request whose body the test writes; its answer comes when its headers do. */
export function beginRequest(url: string, method: string, headers: OutgoingHttpHeaders = {}) {
	const request = http.request(url, { method, headers, agent: new http.Agent() });
	const answer = once(request, 'response').then(([response]) => response as IncomingMessage);
	request.on('error', () => {});
	answer.catch(() => {});
	return { request, answer };
}
