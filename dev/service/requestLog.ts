import { valueOf } from './answers.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from './faults.ts';
import type { Operation } from './operations.ts';

export type ServerName = 'api' | 'storage';

export interface LoggedPart {
	name: string;
	/** Of a file part. */
	fileName?: string;
	contentType?: string;
	size?: number;
	sha256?: string;
	/** Of a field part. */
	value?: unknown;
}

export interface LoggedRequest {
	operation: Operation;
	method: string;
	/** As it was sent, not decoded. */
	path: string;
	/** As it was sent: all text. */
	query: Record<string, string | string[]>;
	headers: IncomingHttpHeaders;
	body: unknown;
	/** JSON as its value, other text as it is; null: empty, or a file. */
	answer: unknown;
	/** null: the connection ended before an answer was complete. */
	status: number | null;
	/** The faults injected into the request. */
	faults: Array<Fault['type']>;
	at: string;
	/** When its answer was complete. */
	answeredAt?: string;
	server: ServerName;
}

export class RequestLog {
	private entries: LoggedRequest[] = [];

	add(entry: LoggedRequest) {
		this.entries.push(entry);
	}

	list(operation?: string): LoggedRequest[] {
		return this.entries
			.filter((entry) => !operation || entry.operation === operation)
			.map((entry) => ({ ...entry, answer: readable(entry.answer) }));
	}

	/** As they are, without their answers as values. */
	get all(): readonly LoggedRequest[] {
		return this.entries;
	}

	clear() {
		this.entries = [];
	}
}

function readable(answer: unknown): unknown {
	try {
		return typeof answer === 'string' ? valueOf(answer) : answer;
	} catch {
		return answer;
	}
}
