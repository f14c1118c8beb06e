import type { INodeProperties } from 'n8n-workflow';

import * as merge from './merge.operation';

export const operations = { merge };

export const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['collection'] } },
	options: [
		{
			name: 'Merge Documents',
			value: 'merge',
			description: 'Merge all PDFs in a collection into one',
			action: 'Merge documents of a collection',
		},
	],
	default: 'merge',
};
