import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { DEFAULT_MAX_CONCURRENCY } from '../../api/client';
import { WORKFLOW_ID_LABEL } from '../../api/credential';

const maxConcurrency: INodeProperties = {
	displayName: 'Max Concurrency',
	name: 'maxConcurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100 },
	default: DEFAULT_MAX_CONCURRENCY,
	description:
		'How many requests this execution may send at the same time, counted separately for the service and its storage. The node starts with fewer, and slows down when the service limits the rate.',
};

const workflowId: INodeProperties = {
	displayName: WORKFLOW_ID_LABEL,
	name: 'workflowId',
	type: 'string',
	default: '',
	description:
		"A workflow of the extraction service to use instead of the credential's, in the same environment",
};

/** The collection of options that ends every operation's fields. */
export function options(...own: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [...own, maxConcurrency, workflowId].sort((a, b) =>
			a.displayName.localeCompare(b.displayName),
		) as INodeProperties[] & INodePropertyCollection[],
	};
}
