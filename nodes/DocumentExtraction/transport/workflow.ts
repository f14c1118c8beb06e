import { endpoint } from '../api/details/endpoint';
import { valueIn } from '../api/details/fields';
import { explained, type Connection, type Context } from './connection';
import { apiError } from './errors';
import { callService } from './request';

const workflowEndpoint = (context: Context, connection: Connection) =>
	explained(context, connection.itemIndex, () =>
		endpoint(connection.credential, 'workflowEndpoint', { workflow_id: connection.workflowId }),
	);

/** Checks that the workflow's metadata can be read, before the first request. */
export function assertCanReadWorkflow(context: Context, connection: Connection) {
	workflowEndpoint(context, connection);
}

/** The workflow's metadata, through the API Detail 'Workflow Endpoint' (interface.md §4.1). */
export async function readWorkflow(context: Context, connection: Connection): Promise<unknown> {
	const call = workflowEndpoint(context, connection);
	const { json } = await callService(context, connection, {
		...call,
		isRead: true,
		answer: 'json',
		madeFrom: ['workflowEndpoint'],
	});
	return json;
}

export interface WorkflowActivity {
	isExtracting: boolean;
	/** `extraction_status` as the service words it; its values are not shown. */
	status: unknown;
	workflow: unknown;
}

/** Whether the workflow is extracting now, from `is_extracting` wherever it stands in the metadata. */
export async function readActivity(
	context: Context,
	connection: Connection,
): Promise<WorkflowActivity> {
	const workflow = await readWorkflow(context, connection);
	const isExtracting = valueIn(workflow, 'is_extracting');
	if (typeof isExtracting !== 'boolean') {
		throw apiError(context, connection, {
			message: "The answer of the API Detail 'Workflow Endpoint' does not tell 'is_extracting'",
			description:
				"Check in your account's API reference which endpoint returns the workflow with 'is_extracting', and copy it into the credential.",
			failure: { cause: 'configuration-invalid' },
		});
	}
	return { isExtracting, status: valueIn(workflow, 'extraction_status'), workflow };
}
