import type { INodeParameters } from 'n8n-workflow';
import type { VirtualTime } from '../../dev/virtual/clock';
import type { Fault, FaultMatch } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import { asTool, runNode } from './n8n';
import type { RunOptions } from './nodeEngine';
import type { Service } from './service';
import type { ServiceClient } from './serviceClient';
import type { ServiceControl } from './serviceControl';

interface Used {
	service: Service;
	control: ServiceControl;
	client: ServiceClient;
	time?: VirtualTime;
}

export interface RunOnService extends Omit<RunOptions, 'credential' | 'parameters'> {
	/** What differs from the right credential for the test environment. */
	credential?: object;
	/** Whether the node is an agent's tool. */
	isTool?: boolean;
}

/** What tests do again and again with a simulated service, which is there once the first test begins. */
export const usedService = <Filled extends Used>(used: Filled) => {
	/** Adds a fault to those that happen already. */
	const fault = async (operation: Operation, what: Fault, match: FaultMatch = {}) =>
		await used.control.faults([{ match: { operation, ...match }, fault: what }]);
	/** Answers with this JSON, as another service would. */
	const answer = async (operation: Operation, body: unknown, match?: FaultMatch) =>
		await fault(operation, { type: 'status', status: 200, body }, match);

	return Object.assign(used, {
		fault,
		answer,
		/** Answers reads of results with these. */
		answerResults: async (items: unknown[], match?: FaultMatch) => {
			const body = { total: items.length, page: 1, limit: 50, pages: 1, items };
			await answer('getExtractions', body, match);
		},
		/** Runs the node with the service's own credential. */
		run: async (
			parameters: INodeParameters,
			{ credential, isTool, ...options }: RunOnService = {},
		) => {
			const { service, time } = used;
			const running = (isTool ? asTool() : { runNode }).runNode({
				...options,
				parameters,
				credential: service.credential({ ...credential }),
			});
			return await (time ? time.run(running) : running);
		},
	});
};
