import { STATUS_CODES, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from './operations.ts';

export interface StatusFault {
	type: 'status' | 'statusAfter';
	status: number;
	body?: unknown;
	contentType?: string;
	headers?: Record<string, string>;
}

interface HugeFault {
	type: 'huge';
	/** Of the JSON text, decompressed. */
	bytes: number;
	status?: number;
	gzip?: boolean;
}

export type Fault =
	| StatusFault
	| { type: 'html'; status: number; title?: string }
	| { type: 'cutBefore' | 'cutAfter' | 'cutMidBody' | 'truncate' | 'empty' }
	| { type: 'delay'; ms: number }
	| { type: 'stallBefore' | 'stallAfter' }
	| { type: 'stallMidBody'; bytes?: number }
	| { type: 'drip'; everyMs: number; bytes?: number }
	| { type: 'slowUpload'; bytesPerSecond: number; everyMs?: number }
	| { type: 'stallUpload'; bytes: number }
	| { type: 'redirect'; status?: number; location: string }
	| { type: 'charset'; encoding?: 'latin1' | 'utf16le'; declared?: string }
	| HugeFault
	| { type: 'shiftRows'; insert?: number; delete?: number }
	| { type: 'wrongPages'; pages: number }
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
	path?: RegExp;
	matched: number;
	happened: number;
}

/** Faults that only some operations can have. */
const affected: Partial<Record<Fault['type'], Operation[]>> = {
	slowUpload: ['upload', 'putFile'],
	stallUpload: ['upload', 'putFile'],
	shiftRows: ['getExtractions'],
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
		const active = rules.map((rule) => ({
			...rule,
			path: rule.match?.path === undefined ? undefined : new RegExp(rule.match.path),
			matched: 0,
			happened: 0,
		}));
		this.rules.push(...active);
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
			const decided = drawn.some(({ type }) => !slowing.includes(type));
			if (decided && !slowing.includes(rule.fault.type)) continue;
			if (this.happens(rule, index, operation, method, url)) drawn.push(rule.fault);
		}
		return drawn;
	}

	private happens(
		rule: ActiveRule,
		index: number,
		operation: Operation,
		method: string,
		url: string,
	) {
		const { match = {}, fault, path } = rule;
		if (match.operation && match.operation !== operation) return false;
		if (match.method && match.method.toUpperCase() !== method) return false;
		if (path && !path.test(url)) return false;
		if (affected[fault.type] && !affected[fault.type]?.includes(operation)) return false;

		const count = rule.matched++;
		if (count < (match.skip ?? 0)) return false;
		if (rule.happened >= (match.times ?? Infinity)) return false;
		if (this.chance(index, count) >= (match.probability ?? 1)) return false;
		rule.happened += 1;
		return true;
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
				answerStatus(reply, fault);
				return true;
			case 'html':
				answerAsProxy(reply, fault.status, fault.title);
				return true;
			case 'redirect':
				reply
					.code(fault.status ?? 307)
					.header('location', fault.location)
					.send();
				return true;
			case 'huge':
				answerHuge(reply, fault);
				return true;
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
	for (const fault of faults) {
		switch (fault.type) {
			case 'statusAfter': {
				const { text, contentType } = statusBody(fault);
				reply
					.code(fault.status)
					.type(contentType)
					.headers(fault.headers ?? {});
				reply.removeHeader('content-length');
				return text;
			}
			case 'cutAfter':
				request.raw.socket.destroy();
				return '';
			case 'stallAfter':
				return await never();
			case 'stallMidBody':
				if (reply.statusCode === 204) return await never();
				return stallAfterBytes(reply, await payloadBytes(payload), fault.bytes ?? 0);
			case 'drip':
				return drip(reply, await payloadBytes(payload), fault);
			case 'cutMidBody':
				return cutInHalf(request, reply, await payloadBytes(payload));
			case 'truncate': {
				const bytes = await payloadBytes(payload);
				reply.removeHeader('content-length');
				return bytes.subarray(0, bytes.length / 2);
			}
			case 'empty':
				// A refusal never looks like a success, nor does it in any proxy.
				if (reply.statusCode >= 300) break;
				reply.code(200);
				reply.removeHeader('content-length');
				return '';
			case 'charset': {
				const text = (await payloadBytes(payload)).toString('utf8');
				reply.removeHeader('content-length');
				reply.header('content-type', `application/json; charset=${fault.declared ?? 'utf-8'}`);
				return Buffer.from(text, fault.encoding ?? 'latin1');
			}
		}
	}
	return payload;
}

function statusBody({ status, body, contentType }: StatusFault) {
	const text =
		typeof body === 'string'
			? body
			: JSON.stringify(body === undefined ? { detail: STATUS_CODES[status] } : body);
	return { text, contentType: contentType ?? 'application/json' };
}

function answerStatus(reply: FastifyReply, fault: StatusFault) {
	const { text, contentType } = statusBody(fault);
	reply
		.code(fault.status)
		.type(contentType)
		.headers(fault.headers ?? {})
		.send(text);
}

function answerAsProxy(reply: FastifyReply, status: number, title?: string) {
	const heading = title ?? `${status} ${STATUS_CODES[status] ?? ''}`.trim();
	reply.removeHeader('x-ratelimit-limit');
	reply.removeHeader('x-ratelimit-remaining');
	reply
		.code(status)
		.header('server', 'nginx')
		.type('text/html')
		.send(
			`<html>\r\n<head><title>${heading}</title></head>\r\n<body>\r\n<center><h1>${heading}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
		);
}

function answerHuge(reply: FastifyReply, { status = 500, bytes, gzip }: HugeFault) {
	const [head, tail] = ['{"detail":"', '"}'];
	const filler = 'x'.repeat(64 * 1024);
	const body = function* () {
		yield head;
		for (let left = bytes - head.length - tail.length; left > 0; left -= filler.length) {
			yield filler.slice(0, left);
		}
		yield tail;
	};
	reply.code(status).type('application/json');
	if (!gzip) return reply.send(Readable.from(body()));
	return reply
		.header('content-encoding', 'gzip')
		.send(pipeline(Readable.from(body()), createGzip(), () => {}));
}

function cutInHalf(request: FastifyRequest, reply: FastifyReply, bytes: Buffer) {
	reply.header('content-length', bytes.length);
	const half = bytes.subarray(0, bytes.length / 2);
	return Readable.from(
		(async function* () {
			yield half;
			// Long enough for the half to leave the machine before the connection breaks.
			await sleep(50);
			request.raw.socket.destroy();
		})(),
	);
}

/** Ends with the connection, of which nothing is said any more. */
const never = async () => await new Promise<never>(() => {});

/** Headers and some bytes; the rest of the announced length never comes. */
function stallAfterBytes(reply: FastifyReply, whole: Buffer, bytes: number) {
	const length = Math.max(whole.length, 1);
	reply.header('content-length', length);
	return Readable.from(
		(async function* () {
			reply.raw.flushHeaders();
			yield whole.subarray(0, Math.min(bytes, length - 1));
			await never();
		})(),
	);
}

function drip(
	reply: FastifyReply,
	whole: Buffer,
	{ everyMs, bytes = 1 }: { everyMs: number; bytes?: number },
) {
	reply.header('content-length', whole.length);
	return Readable.from(
		(async function* () {
			reply.raw.flushHeaders();
			for (let start = 0; start < whole.length; start += bytes) {
				await sleep(everyMs);
				yield whole.subarray(start, start + bytes);
			}
		})(),
	);
}

async function payloadBytes(payload: unknown) {
	if (payload instanceof Readable) return await buffer(payload);
	return Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload ?? ''));
}
