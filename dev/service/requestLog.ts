import type { IncomingHttpHeaders } from 'node:http';
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
	query: unknown;
	headers: IncomingHttpHeaders;
	body: unknown;
	/** null: the connection ended before an answer was complete. */
	status: number | null;
	at: string;
	server: ServerName;
}

export class RequestLog {
	private entries: LoggedRequest[] = [];

	add(entry: LoggedRequest) {
		this.entries.push(entry);
	}

	list(operation?: string) {
		return operation ? this.entries.filter((entry) => entry.operation === operation) : this.entries;
	}

	clear() {
		this.entries = [];
	}
}
