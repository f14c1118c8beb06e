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
	/** A text, on the control plane the value of its JSON; null: empty, or a file. */
	answer: unknown;
	/** null: the connection ended before an answer was complete. */
	status: number | null;
	/** The faults injected into the request. */
	faults: Array<Fault['type']>;
	at: string;
	server: ServerName;
}
