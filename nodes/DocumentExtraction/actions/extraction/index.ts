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
			name: 'Extract From Files',
			value: 'extractFromFiles',
			description: 'Upload files, extract, wait, and return the extracted values',
			action: 'Extract values from files with your service',
			builderHint: {
				propertyHint:
					"The usual choice: from binary files to values in one step. With 'simple' on, each column of the account is a field of the output, by its own name, e.g. $json['Total'].",
			},
		},
		{
			name: 'Extract Documents',
			value: 'extractDocuments',
			description: 'Start the extraction of uploaded documents; Get Many then returns the values',
			action: 'Extract documents uploaded earlier',
			builderHint: {
				propertyHint:
					'Only for documents that are at the service already, e.g. after document upload. Returns document IDs and no values: read these with operation getAll.',
			},
		},
		{
			name: 'Extract One Document',
			value: 'extractOne',
			description: 'Start the extraction of a single uploaded document, without waiting for it',
			action: 'Extract one document uploaded earlier',
			builderHint: {
				propertyHint:
					'Only where the single-document endpoint of the service is asked for; otherwise use extractDocuments, which can wait.',
			},
		},
		{
			name: 'Get Many',
			value: 'getAll',
			description: 'Retrieve a list of extraction results',
			action: 'Get many extraction results',
			builderHint: {
				propertyHint: 'Reads results that exist already; starts no extraction and needs no file.',
			},
		},
	],
	default: 'extractFromFiles',
};
