import type { INodeProperties } from 'n8n-workflow';

import * as extractDocuments from './extractDocuments.operation';
import * as extractFromFiles from './extractFromFiles.operation';
import * as extractOne from './extractOne.operation';
import * as getAll from './getMany.operation';

export const operations = { extractDocuments, extractFromFiles, extractOne, getAll };

export const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['extraction'] } },
	options: [
		{
			name: 'Extract Documents',
			value: 'extractDocuments',
			description: 'Start the extraction of documents that are uploaded already',
			action: 'Start extraction of documents',
		},
		{
			name: 'Extract From Files',
			value: 'extractFromFiles',
			description: 'Upload files, extract, wait, and return the extracted values',
			action: 'Extract from files',
		},
		{
			name: 'Extract One Document',
			value: 'extractOne',
			description: 'Start the extraction of a single document that is uploaded already',
			action: 'Start extraction of one document',
		},
		{
			name: 'Get Many',
			value: 'getAll',
			description: 'Retrieve a list of extraction results',
			action: 'Get many extraction results',
		},
	],
	default: 'extractFromFiles',
};
