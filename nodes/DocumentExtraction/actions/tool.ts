import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** What an agent reads where there is nothing: it would get an empty text, and might make values up. */
export const NOTHING_FOUND: IDataObject = { message: 'Nothing was found' };

/** Whether the node is the tool of an agent: n8n lists it a second time for that, under this name. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('.documentExtractionTool');
}

/**
 * Whether a failed item goes on. Of an error that is thrown an agent reads the message alone, nothing
 * at all, or it is stopped, by its version and n8n's; an item it reads whole in each of them.
 */
export function goesOnAfterFailure(context: IExecuteFunctions): boolean {
	if (context.continueOnFail()) return true;
	return isTool(context) && context.getNode().onError !== 'stopWorkflow';
}
