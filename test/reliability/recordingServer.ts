import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { VirtualNetwork } from '../../dev/virtual/network';
import { startLocalServer } from '../support/localServer';

interface RecordedRequest {
	method: string;
	/** Path and query, as they were sent. */
	target: string;
	/** Names and values, as they were sent. */
	rawHeaders: string[];
	headers: IncomingHttpHeaders;
	body: Buffer;
}

export interface ScriptedAnswer {
	status: number;
	headers?: Record<string, string>;
	body?: string | Buffer;
}

/** A server that keeps every byte it is sent and answers whatever a test wants. */
export async function startRecordingServer(network?: VirtualNetwork) {
	const requests: RecordedRequest[] = [];
	let answer: () => ScriptedAnswer = () => ({ status: 200, body: '{}' });
	const server = await startLocalServer(async (incoming, response) => {
		requests.push({
			method: incoming.method ?? '',
			target: incoming.url ?? '',
			rawHeaders: incoming.rawHeaders,
			headers: incoming.headers,
			body: await buffer(incoming),
		});
		const { status, headers = {}, body = '' } = answer();
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
	}, network);
	return {
		...server,
		requests,
		answerWith: (script: typeof answer) => {
			answer = script;
			requests.length = 0;
		},
	};
}

export type RecordingServer = Awaited<ReturnType<typeof startRecordingServer>>;
