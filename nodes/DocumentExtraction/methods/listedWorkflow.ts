import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { hasDetail } from '../api/details/detail';
import { connect, inputError } from '../transport/connection';
import { readActivity } from '../transport/workflow';

/**
 * The workflow whose parts a list shows. n8n shows nothing but the message of an error in a list, so
 * that has to say how to do without the list, too.
 */
export async function listedWorkflow(context: ILoadOptionsFunctions): Promise<unknown> {
	const connection = await connect(context);
	if (!hasDetail(connection.credential, 'workflowEndpoint')) {
		throw inputError(
			context,
			undefined,
			"This list needs the API Detail 'Workflow Endpoint', which is empty in the credential. You can also do without the list: enter an ID ('By ID', or an expression)",
		);
	}
	// An answer that is no workflow must not pass for one without columns and collections.
	const { workflow } = await readActivity(context, connection);
	return workflow;
}
