import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { waitForWorkflow } from '../../api/waiting/documents';
import { forOperation, options } from '../fields/options';
import { waitOptions } from '../fields/waiting';
import { optionsOf, waitLimits } from '../parameters';
import { workflowTimeout } from '../timeout';

export const description = forOperation('workflow', 'waitUntilExtracted', [
	{
		displayName:
			"Waits until no extraction is running in the workflow, no matter who started it. To wait only for certain documents, use 'Wait Until Extracted' in Extraction › Extract Documents.",
		name: 'waitNotice',
		type: 'notice',
		default: '',
	},
	options(...waitOptions),
]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const client = await createClient(context, itemIndex);
	const settings = optionsOf(context, itemIndex, ...waitOptions);
	const waited = await waitForWorkflow(client, waitLimits(settings), { isStarted: false });
	if (!waited.isFinished && settings.onTimeout !== 'status') {
		throw workflowTimeout(settings, waited);
	}
	const extractionStatus = (waited.status ?? null) as IDataObject;
	const workflow = waited.workflow as IDataObject;
	return [{ json: { finished: waited.isFinished, extractionStatus, workflow } }];
}
