import type { INodeProperties } from 'n8n-workflow';

export const documentId: INodeProperties = {
	displayName: 'Document ID',
	name: 'documentId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description: 'The ID that the service gave the document when it was uploaded',
};

export const documentIds: INodeProperties = {
	displayName: 'Document IDs',
	name: 'documentIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description:
		'IDs separated by commas, or an expression that returns a list. Leave it empty to extract all documents of the workflow, or of the collection below.',
};

export const columnIds: INodeProperties = {
	displayName: 'Column Names or IDs',
	name: 'columnIds',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getColumns', loadOptionsDependsOn: ['options.workflowId'] },
	default: [],
	description:
		'Columns to extract; all if none is chosen. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

export const force: INodeProperties = {
	displayName: 'Force',
	name: 'force',
	type: 'boolean',
	default: false,
	description:
		'Whether to extract again what has already been extracted. This overwrites existing results.',
};
