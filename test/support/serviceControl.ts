import type { exchange } from '../../dev/virtual/network';
import type { SeedBody } from '../../dev/service/control';
import type { FaultRule } from '../../dev/service/faults';
import type { Ledger } from '../../dev/service/ledger';
import type { ResultRow } from '../../dev/service/model';
import type { Operation } from '../../dev/service/operations';
import type { LoggedRequest } from '../../dev/service/requestLog';
import type { Settings } from '../../dev/service/settings';
import type { Account } from './serviceContract';

export type Exchange = typeof exchange;

/** What the tests can see and change behind the back of the service's clients. */
export class ServiceControl {
	/** @param ownSettings instead of those that the service was started with */
	constructor(
		private readonly url: string,
		private readonly exchange: Exchange,
		private readonly ownSettings: Partial<Settings>,
	) {}

	async account() {
		return await this.call<Account>('GET', '/account');
	}

	/** Everything as it was at the start. */
	async reset() {
		await this.call('POST', '/reset', {});
		await this.settings(this.ownSettings);
	}

	/** Breaks all connections that are open: whoever waits for an answer waits no more. */
	async cutConnections() {
		await this.call('POST', '/cut');
	}

	async settings(change: Partial<Settings>) {
		return await this.call<Settings>('POST', '/settings', change);
	}

	/** Makes finished documents with results, at once. */
	async seed(seed: SeedBody) {
		return await this.call<{ documentIds: string[] }>('POST', '/seed', seed);
	}

	/** Keeps a workflow extracting, as if another user were busy in it. */
	async busy(workflow: string, forMs: number) {
		await this.call('POST', '/busy', { workflow, forMs });
	}

	async faults(rules: FaultRule[]) {
		await this.call('POST', '/faults', rules);
	}

	/** Makes faults with a probability repeatable. */
	async seedFaults(seed: number) {
		await this.call('POST', '/faults/seed', { seed });
	}

	/** The rules, and how often the fault of each has happened. */
	async injectedFaults() {
		return await this.call<Array<FaultRule & { happened: number }>>('GET', '/faults');
	}

	async clearFaults() {
		await this.call('DELETE', '/faults');
	}

	async ledger() {
		return await this.call<Ledger>('GET', '/ledger');
	}

	/** Each result of a workflow as it is listed, and what it really tells, in the order of their making. */
	async values(workflow: string) {
		type Result = { documentId: string } & Pick<ResultRow, 'body' | 'values'>;
		return await this.call<Result[]>('GET', `/values?workflow=${encodeURIComponent(workflow)}`);
	}

	async requests(operation?: Operation) {
		const query = operation ? `?operation=${operation}` : '';
		return await this.call<LoggedRequest[]>('GET', `/requests${query}`);
	}

	/** The log keeps every answer whole: after millions of rows it fills the service's memory. */
	async clearRequests() {
		await this.call('DELETE', '/requests');
	}

	private async call<T = unknown>(method: 'GET' | 'POST' | 'DELETE', path: string, json?: unknown) {
		const { status, bytes } = await this.exchange(`${this.url}${path}`, {
			method,
			...(json !== undefined && {
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(json),
			}),
		});
		const answer = bytes.toString();
		if (status >= 300) throw new Error(`${method} ${path} → ${status}: ${answer}`);
		return JSON.parse(answer) as T;
	}
}
