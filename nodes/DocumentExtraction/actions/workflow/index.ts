import type { INodeProperties } from 'n8n-workflow';

import * as checkSetup from './checkSetup.operation';
import * as get from './get.operation';
import * as waitUntilExtracted from './waitUntilExtracted.operation';

export const operations = { checkSetup, get, waitUntilExtracted };

export const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['workflow'] } },
	options: [
		{
			name: 'Check Setup',
			value: 'checkSetup',
			description: 'Find out what to enter in the credential',
			action: 'Check setup of the credential',
		},
		{
			name: 'Get',
			value: 'get',
			description: "Retrieve the service's workflow with its columns, collections and stages",
			action: 'Get workflow with its columns',
		},
		{
			name: 'Wait Until Extracted',
			value: 'waitUntilExtracted',
			description: "Wait until no extraction is running in the service's workflow",
			action: 'Wait until workflow is extracted',
		},
	],
	default: 'get',
};
