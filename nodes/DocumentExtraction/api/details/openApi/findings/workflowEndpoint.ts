/** Workflow Endpoint, of which the interface shows only what it returns (§4.1). */
import type { Operation } from '../operations';
import { endpoints } from './endpoints';
import type { Found } from './found';
import type { Reference } from './reference';
import { withProperty } from './responses';

/** By `is_extracting`, which the interface shows in the response that describes a workflow (§2). */
export function operationsReturningWorkflow(reference: Reference): Operation[] {
	return withProperty(reference, reference.operations, ({ name }) => name === 'is_extracting')
		.operations;
}

export function findWorkflowEndpoint({ document }: Reference, returning: Operation[]): Found {
	if (returning.length === 0) {
		return {
			found: [],
			note: "No response declares 'is_extracting'. Look for the endpoint that returns the workflow with its columns.",
		};
	}
	return endpoints(
		document,
		returning,
		returning.length > 1
			? "The responses of several endpoints declare 'is_extracting'. Choose the one that returns one workflow with its columns."
			: undefined,
	);
}
