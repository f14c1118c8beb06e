import type { INodeProperties } from 'n8n-workflow';

import * as get from './get.operation';
import * as waitUntilExtracted from './waitUntilExtracted.operation';

export const operations = { get, waitUntilExtracted };

export const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['workflow'] } },
	options: [
		{
			name: 'Get',
			value: 'get',
			description: 'Retrieve the workflow with its columns, collections and stages',
			action: 'Get workflow with its columns',
		},
		{
			name: 'Wait Until Extracted',
			value: 'waitUntilExtracted',
			description: 'Wait until the workflow has no extraction under way',
			action: 'Wait until workflow is extracted',
		},
	],
	default: 'get',
};
