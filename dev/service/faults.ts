import { STATUS_CODES, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from './operations.ts';

interface StatusFault {
	type: 'status' | 'statusAfter';
	status: number;
	body?: unknown;
	contentType?: string;
	headers?: Record<string, string>;
}

export type Fault =
	| StatusFault
	| { type: 'html'; status: number; title?: string }
	| { type: 'cutBefore' | 'cutAfter' | 'cutMidBody' | 'truncate' | 'empty' }
	/** After the work; on real sockets, which have no such way to break, a cut. */
	| { type: 'tlsAfter' }
	| { type: 'delay'; ms: number }
	| { type: 'stallBefore' | 'stallAfter' }
	| { type: 'stallMidBody'; bytes?: number }
	| { type: 'drip'; everyMs: number; bytes?: number }
	| { type: 'slowUpload'; bytesPerSecond: number; everyMs?: number }
	| { type: 'stallUpload'; bytes: number }
	| { type: 'redirect'; status?: number; location: string }
	| { type: 'charset' }
	/** `bytes`: of the JSON text, decompressed. */
	| { type: 'huge'; bytes: number; status?: number; gzip?: boolean }
	/** `insert`, `delete`: so many at the head of the list. `move`: so many go from its end to its head. */
	| { type: 'shiftRows'; insert?: number; delete?: number; move?: number }
	/** `isTotalOfPage`: `total` counts the rows of the page alone. */
	| { type: 'wrongPages'; pages: number; isTotalOfPage?: boolean }
	| { type: 'expireUploadUrls' };

export interface FaultMatch {
	operation?: Operation;
	method?: string;
	/** A regular expression, searched in path and query as they were sent. */
	path?: string;
	probability?: number;
	/** Matching requests that are spared first. */
	skip?: number;
	/** How often the fault happens at most. */
	times?: number;
}

export interface FaultRule {
	match?: FaultMatch;
	fault: Fault;
}

interface ActiveRule extends FaultRule {
	matched: number;
	happened: number;
}

/** Faults that only some operations can have. */
const affected: Partial<Record<Fault['type'], Operation[]>> = {
	slowUpload: ['upload', 'putFile'],
	stallUpload: ['upload', 'putFile'],
	shiftRows: ['getExtractions', 'getDocuments'],
	wrongPages: ['getExtractions', 'getDocuments'],
	expireUploadUrls: ['createUploadUrl', 'putFile'],
};

/** Faults that slow a request down, and let another one befall it as well. */
const slowing: Array<Fault['type']> = ['delay', 'slowUpload'];

export class Faults {
	private rules: ActiveRule[] = [];
	private seed = 0;
	/** Responses to uploads that are not read any more. */
	private stalled = new Set<ServerResponse>();

	add(rules: FaultRule[]) {
		this.rules.push(...rules.map((rule) => ({ ...rule, matched: 0, happened: 0 })));
	}

	/** The rules, and how often each fault has happened. */
	list() {
		return this.rules.map(({ match, fault, happened }) => ({ match, fault, happened }));
	}

	clear() {
		this.rules = [];
		for (const response of this.stalled) response.destroy();
	}

	/** What is not read does not notice that its client has left: it ends with the rules. */
	endWithRules(response: ServerResponse) {
		this.stalled.add(response);
		response.once('close', () => this.stalled.delete(response));
	}

	setSeed(seed: number) {
		this.seed = seed;
		for (const rule of this.rules) rule.matched = 0;
	}

	/** The faults that befall a request: all that slow it down, and the first of the others. */
	draw(operation: Operation, method: string, url: string): Fault[] {
		const drawn: Fault[] = [];
		for (const [index, rule] of this.rules.entries()) {
			const { match = {}, fault } = rule;
			const isDecided = drawn.some(({ type }) => !slowing.includes(type));
			if (isDecided && !slowing.includes(fault.type)) continue;
			if (match.operation && match.operation !== operation) continue;
			if (match.method && match.method.toUpperCase() !== method) continue;
			if (match.path && !new RegExp(match.path).test(url)) continue;
			if (affected[fault.type] && !affected[fault.type]?.includes(operation)) continue;

			const count = rule.matched++;
			if (count < (match.skip ?? 0) || rule.happened >= (match.times ?? Infinity)) continue;
			if (this.chance(index, count) >= (match.probability ?? 1)) continue;
			rule.happened += 1;
			drawn.push(fault);
		}
		return drawn;
	}

	// Depends on the rule and on how often it matched, not on what else happens in
	// between, so that concurrent requests of other kinds do not change it.
	private chance(index: number, count: number) {
		// The finalizer of MurmurHash3, once for each number: cheap, and equal inputs are equal chances.
		return mixed(mixed(mixed(this.seed) ^ index) ^ count) / 2 ** 32;
	}
}

function mixed(number: number) {
	let hash = Math.imul(number ^ 0x9e3779b9, 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}

/** Does what befalls a request before the service works on it; true when it was answered. */
export async function actBefore(faults: Fault[], request: FastifyRequest, reply: FastifyReply) {
	for (const fault of faults) {
		switch (fault.type) {
			case 'delay':
				await sleep(fault.ms);
				break;
			case 'cutBefore':
				request.raw.socket.destroy();
				return true;
			case 'stallBefore':
				request.raw.resume();
				return true;
			case 'status':
				reply.send(answerOf(reply, fault));
				return true;
			case 'html': {
				const { status, title = `${status} ${STATUS_CODES[status] ?? ''}` } = fault;
				reply.removeHeader('x-ratelimit-limit').removeHeader('x-ratelimit-remaining');
				reply.code(status).header('server', 'nginx').type('text/html');
				reply.send(
					[
						`<html>\r\n<head><title>${title}</title></head>\r\n<body>`,
						`<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>`,
						'</body>\r\n</html>\r\n',
					].join('\r\n'),
				);
				return true;
			}
			case 'redirect':
				reply.code(fault.status ?? 307).header('location', fault.location);
				reply.send();
				return true;
			case 'huge': {
				const { status = 500, bytes, gzip } = fault;
				reply.code(status).type('application/json');
				if (gzip) reply.header('content-encoding', 'gzip');
				const body = Readable.from(hugeDetail(bytes));
				reply.send(gzip ? pipeline(body, createGzip(), () => {}) : body);
				return true;
			}
		}
	}
	return false;
}

/** Does what befalls an answer after the service's work; gives back what is sent. */
export async function actAfter(
	faults: Fault[],
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
) {
	const fault = faults.find(({ type }) => !slowing.includes(type));
	switch (fault?.type) {
		case 'statusAfter':
			reply.removeHeader('content-length');
			return answerOf(reply, fault);
		case 'cutAfter':
			request.raw.socket.destroy();
			return '';
		case 'tlsAfter': {
			const socket: { destroy(): void; breakTls?: () => void } = request.raw.socket;
			if (socket.breakTls) socket.breakTls();
			else socket.destroy();
			return '';
		}
		case 'stallAfter':
			return await never();
		case 'stallMidBody': {
			if (reply.statusCode === 204) return await never();
			const whole = await payloadBytes(payload);
			// The rest of the announced length never comes.
			const length = Math.max(whole.length, 1);
			return inPieces(reply, length, async function* () {
				yield whole.subarray(0, Math.min(fault.bytes ?? 0, length - 1));
				await never();
			});
		}
		case 'drip': {
			const whole = await payloadBytes(payload);
			const { bytes = 1, everyMs } = fault;
			return inPieces(reply, whole.length, async function* () {
				for (let start = 0; start < whole.length; start += bytes) {
					await sleep(everyMs);
					yield whole.subarray(start, start + bytes);
				}
			});
		}
		case 'cutMidBody': {
			const whole = await payloadBytes(payload);
			return inPieces(reply, whole.length, async function* () {
				yield whole.subarray(0, whole.length / 2);
				// Long enough for the half to leave the machine before the connection breaks.
				await sleep(50);
				request.raw.socket.destroy();
			});
		}
		case 'truncate': {
			const bytes = await payloadBytes(payload);
			reply.removeHeader('content-length');
			return bytes.subarray(0, bytes.length / 2);
		}
		case 'empty':
			// A refusal never looks like a success, nor does it in any proxy.
			if (reply.statusCode >= 300) return payload;
			reply.code(200).removeHeader('content-length');
			return '';
		case 'charset': {
			const text = (await payloadBytes(payload)).toString('utf8');
			reply.removeHeader('content-length');
			reply.header('content-type', 'application/json; charset=utf-8');
			return Buffer.from(text, 'utf16le');
		}
		default:
			return payload;
	}
}

/** Sets the head of the answer, and gives back its text. */
function answerOf(reply: FastifyReply, { status, body, contentType, headers = {} }: StatusFault) {
	reply
		.code(status)
		.type(contentType ?? 'application/json')
		.headers(headers);
	if (typeof body === 'string') return body;
	return JSON.stringify(body === undefined ? { detail: STATUS_CODES[status] } : body);
}

function* hugeDetail(bytes: number) {
	const [head, tail] = ['{"detail":"', '"}'];
	const filler = 'x'.repeat(64 * 1024);
	yield head;
	for (let left = bytes - head.length - tail.length; left > 0; left -= filler.length) {
		yield filler.slice(0, left);
	}
	yield tail;
}

/** Ends with the connection, of which nothing is said any more. */
const never = async () => await new Promise<never>(() => {});

function inPieces(reply: FastifyReply, length: number, pieces: () => AsyncGenerator<Buffer>) {
	reply.header('content-length', length);
	return Readable.from(
		(async function* () {
			reply.raw.flushHeaders();
			yield* pieces();
		})(),
	);
}

async function payloadBytes(payload: unknown) {
	if (payload instanceof Readable) return await buffer(payload);
	return Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload ?? ''));
}
