import type { IDataObject } from 'n8n-workflow';

import { forEachItem, type Operation } from '../operation';
import { checkedOptions, createClient, options } from '../parameters';
import { waitFor, waitOptions } from '../waiting';

export const waitUntilExtracted: Operation = {
	resource: 'workflow',
	name: 'Wait Until Extracted',
	value: 'waitUntilExtracted',
	description: "Wait until no extraction is running in the service's workflow",
	action: 'Wait until all extractions are finished',
	output: { finished: { type: 'boolean' } },
	fields: [
		{
			displayName:
				"Waits until no extraction is running in the service's workflow, no matter who started it. Needs the line 'Workflow Endpoint' in the credential's API Details. To wait only for certain documents, do not use this operation: add a line 'Finished Statuses' there, choose Extraction › Extract Documents, enter Document IDs, and switch on its field 'Wait Until Extracted'.",
			name: 'waitNotice',
			type: 'notice',
			default: '',
		},
		options(...waitOptions),
	],
	run: forEachItem(async (context, itemIndex) => {
		const client = await createClient(context, itemIndex);
		const settings = checkedOptions(context, itemIndex, waitOptions);
		const [{ failure, state, activity }] = await waitFor(client, [], undefined, [], settings);
		if (failure) throw failure;
		return [{ json: { ...state, workflow: activity?.workflow as IDataObject } }];
	}),
};
