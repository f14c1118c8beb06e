import { CallError } from './callError';
import type { Client } from './client';
import { valueIn } from './details/fields';
import { endpoint } from './details/requests';
import { callService } from './service';

const workflowEndpoint = ({ credential, workflowId }: Client) =>
	endpoint(credential, 'workflowEndpoint', { workflow_id: workflowId });

/**
 * Checks that the workflow's metadata can be read, before the first request.
 * @throws UserError naming the API Detail that is missing or malformed
 */
export function assertCanReadWorkflow(client: Client) {
	workflowEndpoint(client);
}

/** The workflow's metadata, through the API Detail 'Workflow Endpoint' (interface.md §4.1). */
export async function readWorkflow(client: Client): Promise<unknown> {
	const { json } = await callService(client, {
		...workflowEndpoint(client),
		isRead: true,
		expects: 'json',
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
export async function readActivity(client: Client): Promise<WorkflowActivity> {
	const workflow = await readWorkflow(client);
	const isExtracting = valueIn(workflow, 'is_extracting');
	if (typeof isExtracting !== 'boolean') {
		throw new CallError({
			message:
				"The response of the API Detail 'Workflow Endpoint' does not contain 'is_extracting'",
			description:
				"Check in your account's API reference which endpoint returns the workflow with 'is_extracting', and copy it into the credential.",
			failure: { cause: 'configuration-invalid' },
		});
	}
	return { isExtracting, status: valueIn(workflow, 'extraction_status'), workflow };
}
