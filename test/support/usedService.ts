import type { INodeParameters } from 'n8n-workflow';
import type { VirtualTime } from '../../dev/virtual/clock';
import type { Fault, FaultMatch } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import { runNode } from './n8n';
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

interface RunOnService extends Omit<RunOptions, 'credential' | 'parameters'> {
	/** What differs from the right credential for the test environment. */
	credential?: object;
}

/** What tests do again and again with a simulated service, which is there once the first test begins. */
export const usedService = <Filled extends Used>(used: Filled) =>
	Object.assign(used, {
		/** Runs the node with the service's own credential. */
		run: async (parameters: INodeParameters, { credential, ...options }: RunOnService = {}) => {
			const { service, time } = used;
			const running = runNode({
				...options,
				parameters,
				credential: service.credential({ ...credential }),
			});
			return await (time ? time.run(running) : running);
		},
		/** Adds a fault to those that happen already. */
		fault: async (operation: Operation, fault: Fault, match: FaultMatch = {}) =>
			await used.control.faults([{ match: { operation, ...match }, fault }]),
	});
