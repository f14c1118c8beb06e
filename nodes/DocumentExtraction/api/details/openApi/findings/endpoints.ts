/** Endpoints as API Details write them, with `{workflow_id}` for the workflow's parameter. */
import { own, type OpenApiDocument } from '../document';
import { parametersOf, type Operation } from '../operations';
import { listed, MOST_LISTED, named, type Found } from './found';

/** Endpoints beyond these are not even written out. */
const MOST_READ = 1000;

/** Endpoints to choose from. */
export function endpoints(
	document: OpenApiDocument,
	operations: Operation[],
	...notes: Array<string | false>
): Found {
	const written = operations.slice(0, MOST_READ).map((operation) => ({
		value: endpointText(document, operation),
		at: operation.definition.at,
	}));
	const others = written
		.slice(0, MOST_LISTED)
		.flatMap(({ value }) => value.split('/'))
		.filter((segment) => isParameter(segment) && segment !== '{workflow_id}');
	return listed(
		written,
		...notes,
		others.length > 0
			? `${named([...new Set(others)])}: if this is the ID of the workflow, write {workflow_id} instead.`
			: undefined,
	);
}

export function endpointText(document: OpenApiDocument, operation: Operation): string {
	const segments = operation.path.split('/');
	const afterWorkflows = segments.findIndex(
		(segment, index) => isParameter(segment) && isWorkflows(segments[index - 1]),
	);
	const place = afterWorkflows >= 0 ? afterWorkflows : segments.findIndex(isWorkflowParameter);
	if (place >= 0) segments[place] = '{workflow_id}';
	const query = place >= 0 ? '' : workflowQuery(document, operation);
	return `${operation.method} ${segments.join('/')}${query}`;
}

function isWorkflows(segment: string): boolean {
	return /^workflows?$/i.test(segment);
}

function isWorkflowParameter(segment: string): boolean {
	return /^\{(?:workflow|wf)(?:[_-]?u?u?id)?\}$/i.test(segment);
}

function isParameter(segment: string): boolean {
	return segment.startsWith('{') && segment.endsWith('}');
}

/** The workflow's place where it does not stand in the path, but in a query that is required. */
function workflowQuery(document: OpenApiDocument, operation: Operation): string {
	const names = parametersOf(document, operation)
		.filter(({ value }) => own(value, 'in') === 'query' && own(value, 'required') === true)
		.map(({ value }) => own(value, 'name'));
	return names.includes('workflow_id') ? '?workflow_id={workflow_id}' : '';
}
