import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import tls from 'node:tls';
import { makeCertificate } from '../../dev/service/certificate';
import { binaryItem, type BinaryMode } from '../support/binary';
import { runNode } from '../support/n8n';

/** What goes wrong below HTTP, on real sockets: in virtual time there is neither TLS nor a proxy. */

const HOST = '127.0.0.1';
const { createSecureContext } = tls;

interface SecureServer {
	url: string;
	/** Those that arrived whole. */
	bodies: Buffer[];
	/** Called with a whole request; returns whether it breaks the line in place of a response. */
	onRequest: (line: { client: Socket; server: Socket }) => boolean;
}

const ANSWER = JSON.stringify({ document_id: 'd1' });

let certificate: Awaited<ReturnType<typeof makeCertificate>>;
let used: SecureServer;
const servers: Server[] = [];

async function listen(server: Server): Promise<number> {
	server.listen(0, HOST);
	await once(server, 'listening');
	servers.push(server);
	return (server.address() as AddressInfo).port;
}

/** A server with TLS behind a line on which anybody may put bytes. */
async function startSecureServer(): Promise<SecureServer> {
	let line: { client: Socket; server: Socket };
	const secure = createHttpsServer(certificate, (request, response) => {
		void buffer(request).then((body) => {
			started.bodies.push(body);
			if (started.onRequest(line)) return;
			response.setHeader('content-type', 'application/json');
			response.end(ANSWER);
		});
	});
	secure.on('tlsClientError', () => {});
	const securePort = await listen(secure);
	const front = createServer((client) => {
		const server = connect(securePort, HOST);
		line = { client, server };
		for (const socket of [client, server]) socket.on('error', () => {});
		client.pipe(server);
		server.pipe(client, { end: false });
		client.once('close', () => server.destroy());
	});
	const port = await listen(front);
	const started: SecureServer = {
		url: `https://${HOST}:${port}`,
		bodies: [],
		onRequest: () => false,
	};
	return started;
}

beforeAll(async () => {
	certificate = await makeCertificate(HOST);
	// Only what is running can be told to trust another authority.
	tls.createSecureContext = (options) => createSecureContext({ ...options, ca: certificate.cert });
});
beforeEach(async () => {
	used = await startSecureServer();
});
afterEach(() => {
	for (const server of servers.splice(0)) {
		if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
		server.close();
	}
});
afterAll(() => {
	tls.createSecureContext = createSecureContext;
});

const credential = () => ({
	environment: 'test',
	baseUrl: used.url,
	apiKey: 'doc_test_1234567890',
	workflowId: 'w1',
	apiDetails: 'Upload File Field: file',
});

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

const CALLS = {
	'a small upload': { operation: 'upload', bytes: 100, binaryMode: 'memory' },
	'a large upload': { operation: 'upload', bytes: 3_000_000, binaryMode: 'filesystem' },
	'an extraction': { operation: 'extractDocuments', bytes: 1, binaryMode: 'memory' },
} as const;

async function run(call: keyof typeof CALLS, settings: object = RETRY) {
	const { operation, bytes, binaryMode } = CALLS[call];
	const resource = operation === 'upload' ? 'document' : 'extraction';
	const data = { data: Buffer.alloc(bytes, 'x'), fileName: 'a.txt' };
	const mode: BinaryMode = binaryMode;
	return await runNode({
		credential: credential(),
		parameters: {
			resource,
			operation,
			documentIds: 'd1',
			options: { uploadMethod: 'direct', force: true },
		},
		items: [await binaryItem({ files: { data }, mode })],
		binaryMode: mode,
		...settings,
	});
}

/** Of a TLS record: type, version, length and bytes that nobody has encrypted. */
const DAMAGED = Buffer.from([23, 3, 3, 0, 20, ...Array<number>(20).fill(7)]);

const BREAKS: { [what: string]: SecureServer['onRequest'] } = {
	'plain HTTP from a middlebox': ({ client }) =>
		client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n') && true,
	'a damaged record': ({ client }) => client.end(DAMAGED) && true,
	// The server answers to what it cannot read with an encrypted alert.
	'an alert of the server': ({ client, server }) => {
		client.unpipe(server);
		return server.write(DAMAGED) || true;
	},
	'an end without a word': ({ client }) => client.destroy() && true,
};

describe.each(Object.keys(CALLS) as Array<keyof typeof CALLS>)('%s', (call) => {
	it.each(Object.keys(BREAKS))('is made once where TLS breaks after it by %s', async (what) => {
		used.onRequest = BREAKS[what];

		const { error } = await run(call);

		expect(error?.message).toBe('The connection to the service broke');
		expect(error?.description).toContain('The outcome is unknown');
		expect(used.bodies).toHaveLength(1);
	});

	it('is tried again, and certainly not made, where there is no TLS', async () => {
		const secure = Number(new URL(used.url).port);
		let connections = 0;
		const plain = createServer((socket) => {
			socket.on('error', () => {});
			if (++connections === 1) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
			else socket.pipe(connect(secure, HOST)).pipe(socket);
		});
		used.url = `https://${HOST}:${await listen(plain)}`;

		const { error } = await run(call);

		expect(error).toBeUndefined();
		expect(connections).toBe(2);
		expect(used.bodies).toHaveLength(1);
	});
});
