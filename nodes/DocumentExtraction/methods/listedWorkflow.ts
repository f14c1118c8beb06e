import { UserError } from 'n8n-workflow';
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { asNodeError } from '../actions/errors';
import { createClient } from '../api/client';
import { hasDetail } from '../api/details/apiDetails';
import { readActivity } from '../api/workflow';

/** Somebody looks at the list while it loads, and can open it again. */
const LONGEST_MS = 30_000;

/**
 * The workflow whose parts a list shows. n8n shows nothing but the message of an error in a list, so
 * that has to say how to do without the list, too.
 */
export async function listedWorkflow(context: ILoadOptionsFunctions): Promise<unknown> {
	const stop = AbortSignal.timeout(LONGEST_MS);
	try {
		const client = await createClient(context);
		if (!hasDetail(client.credential, 'workflowEndpoint')) {
			throw new UserError(
				"This list needs the API Detail 'Workflow Endpoint', which is empty in the credential. You can also enter an ID instead of choosing from the list ('By ID', or an expression)",
			);
		}
		// A response that is no workflow must not pass for one without columns and collections.
		const { workflow } = await readActivity({ ...client, stop });
		return workflow;
	} catch (error) {
		const reason = stop.aborted
			? new UserError(
					`The service did not give the list within ${LONGEST_MS / 1000} seconds. Open it again, or enter an ID instead of choosing from it ('By ID', or an expression)`,
				)
			: (error as Error);
		throw asNodeError(context.getNode(), reason);
	}
}
