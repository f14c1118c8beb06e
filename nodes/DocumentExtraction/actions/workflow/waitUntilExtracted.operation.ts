import type { IDataObject } from 'n8n-workflow';

import { createClient } from '../../service/client';
import { waitForExtraction } from '../../waiting/wait';
import { forEachItem, type Operation } from '../operation';
import { checkedOptions, options } from '../parameters';
import { lastStatus, unfinishedError, waitLimits, waitOptions } from '../waiting';

export const waitUntilExtracted: Operation = {
	resource: 'workflow',
	name: 'Wait Until Extracted',
	value: 'waitUntilExtracted',
	description: "Wait until no extraction is running in the service's workflow",
	action: 'Wait until all extractions are finished',
	uses: ['workflow'],
	output: { finished: { type: 'boolean' } },
	fields: [
		{
			displayName:
				"Waits until no extraction is running in the workflow, no matter who started it. To wait only for certain documents, use 'Wait Until Extracted' in Extraction › Extract Documents.",
			name: 'waitNotice',
			type: 'notice',
			default: '',
		},
		options(...waitOptions),
	],
	run: forEachItem(async (context, itemIndex) => {
		const client = await createClient(context, itemIndex);
		const settings = checkedOptions(context, itemIndex, waitOptions);
		const [waited] = await waitForExtraction(client, [], undefined, [], waitLimits(settings));
		const error = unfinishedError(client, settings, waited);
		if (error) throw error;
		const extractionStatus = lastStatus(waited);
		const workflow = waited.workflow?.workflow as IDataObject;
		return [{ json: { finished: waited.verdict.isFinished, extractionStatus, workflow } }];
	}),
};
