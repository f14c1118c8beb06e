import { once } from 'node:events';
import http, { type Server } from 'node:http';
import https from 'node:https';
import type { NetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** What a socket buffers on either side, in bytes: a sender notices that nobody reads. */
const BUFFER_BYTES = 64 * 1024;

/** As Node.js reports what OpenSSL finds once the handshake is over. */
const TLS_BROKE = 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC';

function systemError(code: string, syscall: string) {
	return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}

/** One end of a connection that leads to another end in the same process. */
class VirtualSocket extends Duplex {
	private other?: VirtualSocket;
	private takeNext?: () => void;
	private idle?: NodeJS.Timeout;
	private idleMs = 0;
	readonly remoteAddress = '127.0.0.1';
	readonly encrypted = false;

	constructor() {
		super({ readableHighWaterMark: BUFFER_BYTES, writableHighWaterMark: BUFFER_BYTES });
	}

	static pair(): [VirtualSocket, VirtualSocket] {
		const [one, other] = [new VirtualSocket(), new VirtualSocket()];
		[one.other, other.other] = [other, one];
		return [one, other];
	}

	override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void) {
		this.moved();
		const { other } = this;
		// Not at once: a real peer never answers within the call that writes.
		process.nextTick(() => {
			if (!other || other.destroyed) return done(systemError('EPIPE', 'write'));
			other.moved();
			if (other.push(chunk)) done();
			else other.takeNext = done;
		});
	}

	override _final(done: () => void) {
		process.nextTick(() => {
			if (this.other && !this.other.destroyed) this.other.push(null);
			done();
		});
	}

	override _read() {
		const { takeNext } = this;
		this.takeNext = undefined;
		takeNext?.();
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void) {
		clearTimeout(this.idle);
		const { other, takeNext } = this;
		this.takeNext = undefined;
		process.nextTick(() => {
			takeNext?.();
			if (!other || other.destroyed) return;
			// As TCP does: what was not read resets the connection, otherwise it ends.
			if (this.readableLength > 0 || takeNext) other.destroy(systemError('ECONNRESET', 'read'));
			else if (!other.readableEnded) other.push(null);
		});
		done(error);
	}

	/** A limit of idleness, in ms. */
	setTimeout(ms: number, onTimeout?: () => void) {
		if (onTimeout) this.once('timeout', onTimeout);
		this.idleMs = ms;
		this.moved();
		return this;
	}

	private moved() {
		clearTimeout(this.idle);
		if (this.idleMs > 0 && !this.destroyed) {
			this.idle = setTimeout(() => this.emit('timeout'), this.idleMs);
		}
	}

	/** Ends the connection as if what came last through TLS could not be read at the other end. */
	breakTls() {
		this.other?.destroy(Object.assign(new Error('bad record mac'), { code: TLS_BROKE }));
		this.destroy();
	}

	destroySoon() {
		if (this.writable) this.end();
		if (this.writableFinished) this.destroy();
		else this.once('finish', this.destroy.bind(this));
	}

	setKeepAlive() {
		return this;
	}
}

/** Not in Node's types, but documented. */
type Connecting = http.Agent & { createConnection?: (options: NetConnectOpts) => Duplex };
const agents: Connecting = http.Agent.prototype;
const secureAgents: Connecting = https.Agent.prototype;

/** How a connection fails before there is one. */
export type ConnectionFailure =
	| 'ECONNREFUSED'
	| 'ENOTFOUND'
	| 'ECONNRESET'
	| 'ETIMEDOUT'
	| 'EPROTO';

/**
 * From now on no request of Node's `http` and `https`, and so none of n8n's, opens a socket: it reaches
 * the servers of this network, none of which speaks TLS, through Node's own client and server, or nobody.
 * Other ways, e.g. `fetch`, stay as they are. With a virtual clock, its timeouts pass in virtual time.
 */
export class VirtualNetwork {
	private readonly servers = new Map<number, Server>();
	private nextPort = 20_000;
	private readonly open = new Set<VirtualSocket>();
	private readonly createConnection = agents.createConnection;
	private readonly createSecureConnection = secureAgents.createConnection;
	/** Asked for each new connection but those of `exchange`; by default all succeed. */
	failure: () => ConnectionFailure | undefined = () => undefined;

	constructor() {
		agents.createConnection = (options) => this.connect(options);
		secureAgents.createConnection = (options) => this.connect(options, 'EPROTO');
	}

	/** Gives the server an address. It need not listen, and reads what else Node.js lets it. */
	listen(server: Server): string {
		const port = this.nextPort++;
		this.servers.set(port, server);
		return `http://127.0.0.1:${port}`;
	}

	/** Takes the server's address away, so that another one can be given to it. */
	leave(server: Server) {
		server.closeAllConnections();
		for (const [port, other] of this.servers) if (other === server) this.servers.delete(port);
	}

	/** How many connections have not ended, but for those of `exchange`. */
	get openConnections() {
		return this.open.size;
	}

	stop() {
		agents.createConnection = this.createConnection;
		secureAgents.createConnection = this.createSecureConnection;
		for (const server of this.servers.values()) server.closeAllConnections();
	}

	private connect(options: NetConnectOpts, refusal?: ConnectionFailure): VirtualSocket {
		const { host, port, isSpared } = { host: '', port: 0, isSpared: false, ...options };
		const [client, atServer] = VirtualSocket.pair();
		const isHere = host === '127.0.0.1' || host === 'localhost';
		const server = isHere ? this.servers.get(Number(port)) : undefined;
		const failure = server && (refusal ?? (isSpared ? undefined : this.failure()));
		if (!server || failure) {
			const code = failure ?? (isHere ? 'ECONNREFUSED' : 'ENOTFOUND');
			const syscall = code === 'ENOTFOUND' ? 'getaddrinfo' : 'connect';
			process.nextTick(() => client.destroy(systemError(code, syscall)));
			return client;
		}
		if (!isSpared) this.open.add(client.once('close', () => this.open.delete(client)));
		process.nextTick(() => {
			client.emit('connect');
			server.emit('connection', atServer);
		});
		return client;
	}
}

/** Node.js hands on to the connection what it does not know. */
const SPARED = { isSpared: true };

/** A request as a client without n8n makes it, over whatever network there is. */
export async function exchange(
	url: string,
	{ method = 'GET', headers = {}, body = '' as string | Buffer },
) {
	const request = http.request(url, {
		method,
		agent: new http.Agent(),
		...SPARED,
		headers: {
			...(body.length > 0 && { 'content-length': Buffer.byteLength(body) }),
			...headers,
		},
	});
	const responded = once(request, 'response') as Promise<[http.IncomingMessage]>;
	// Once the response has begun, whoever reads it learns of what breaks it.
	request.on('error', () => {});
	request.end(body);
	const [response] = await responded;
	const { statusCode: status = 0, headers: answered } = response;
	return { status, headers: answered, bytes: await buffer(response) };
}
