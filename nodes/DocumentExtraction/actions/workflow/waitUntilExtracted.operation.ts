import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { connect } from '../../transport/connection';
import { waitForWorkflow } from '../../transport/waiting';
import { forOperation, options, optionsOf, timeoutError, waitLimits, waitOptions } from '../fields';

export const description = forOperation('workflow', 'waitUntilExtracted', [
	{
		displayName:
			"Waits until the workflow extracts nothing. Others who use the same workflow keep it busy too; to wait for certain documents only, use 'Wait Until Extracted' in Extraction › Extract Documents.",
		name: 'waitNotice',
		type: 'notice',
		default: '',
	},
	options(...waitOptions),
]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const connection = await connect(context, itemIndex);
	const settings = optionsOf(context, itemIndex, ...waitOptions);
	const { isFinished, status, workflow } = await waitForWorkflow(
		context,
		connection,
		waitLimits(settings),
	);
	if (!isFinished && settings.onTimeout !== 'status') {
		throw timeoutError(context, itemIndex, settings, undefined, status);
	}
	const extractionStatus = (status ?? null) as IDataObject;
	return [{ json: { finished: isFinished, extractionStatus, workflow: workflow as IDataObject } }];
}
