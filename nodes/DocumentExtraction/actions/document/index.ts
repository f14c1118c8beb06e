import type { INodeProperties } from 'n8n-workflow';

import * as confirmUpload from './confirmUpload.operation';
import * as createUploadUrl from './createUploadUrl.operation';
import * as getAll from './getMany.operation';
import * as upload from './upload.operation';

export const operations = { confirmUpload, createUploadUrl, getAll, upload };

export const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['document'] } },
	options: [
		{
			name: 'Upload',
			value: 'upload',
			description: 'Upload files as documents, without extracting them yet',
			action: 'Upload documents',
			builderHint: {
				propertyHint:
					'Only where extraction is to start later or elsewhere; extractFromFiles uploads by itself.',
			},
		},
		{
			name: 'Get Many',
			value: 'getAll',
			description: 'Retrieve a list of documents with their status',
			action: 'Get many documents',
		},
		{
			name: 'Create Upload URL',
			value: 'createUploadUrl',
			description: 'Get a signed URL that a browser or phone can send a file to',
			action: 'Create upload URL for a document',
		},
		{
			name: 'Confirm Upload',
			value: 'confirmUpload',
			description: 'Confirm files that were sent to upload URLs',
			action: 'Confirm upload of a document',
		},
	],
	default: 'upload',
};
