/** Workflow Endpoint, of which the interface shows only what it returns (§4.1). */
import type { OpenApiDocument } from '../document';
import type { Operation } from '../operations';
import { endpoints, endpointText } from './endpoints';
import { named, type Found } from './found';
import { isShown, type Reference } from './reference';
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
	const candidates = returning.filter(mayOnlyRead);
	const readingOne = candidates.filter((operation) =>
		endpointText(document, operation).includes('{workflow_id}'),
	);
	if (readingOne.length === 0) return { found: [], note: nothingToEnter(document, candidates) };
	const isPost = readingOne.some(({ method }) => method === 'POST');
	const check = `Check in ${readingOne.length > 1 ? 'the description of a POST' : 'its description'} that it only reads: the node calls this endpoint again and again while it waits.`;
	const found = endpoints(
		document,
		readingOne,
		readingOne.length > 1 &&
			"The responses of several endpoints declare 'is_extracting'. Choose the one that returns one workflow with its columns.",
		isPost && check,
	);
	return isPost ? { ...found, check } : found;
}

/** The interface shows what else those calls do; other methods change something. */
function mayOnlyRead(operation: Operation): boolean {
	return ['GET', 'POST'].includes(operation.method) && !isShown(operation);
}

function nothingToEnter(document: OpenApiDocument, candidates: Operation[]): string {
	if (candidates.length === 0) {
		return "Endpoints for other purposes declare 'is_extracting', but none of these reads the workflow. Look for the endpoint that returns the workflow with its columns. If there is none, leave this field empty.";
	}
	const endpoints = candidates.map((operation) => endpointText(document, operation));
	return `'is_extracting' is declared only by endpoints without the workflow's ID in a place that the node knows: ${named(endpoints)}. If one of them returns one workflow, enter it with {workflow_id} in place of that ID. Otherwise look for the endpoint that returns one workflow with its columns.`;
}
