import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isTool } from '../api/run';

/** What an agent reads where there is nothing: it would get an empty text, and might make values up. */
export const NOTHING_FOUND: IDataObject = { message: 'Nothing was found' };

/**
 * Whether a failed item goes on. Of an error that is thrown an agent reads the message alone, nothing
 * at all, or it is stopped, by its version and n8n's; an item it reads whole in each of them.
 */
export function goesOnAfterFailure(context: IExecuteFunctions): boolean {
	if (context.continueOnFail()) return true;
	return isTool(context) && context.getNode().onError !== 'stopWorkflow';
}
