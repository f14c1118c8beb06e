import type { INodeProperties } from 'n8n-workflow';

export const documentId: INodeProperties = {
	displayName: 'Document ID',
	name: 'documentId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description: "The document's ID at the service, which its upload returned",
};

export const documentIds: INodeProperties = {
	displayName: 'Document IDs',
	name: 'documentIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description:
		'IDs separated by commas, or an expression that returns a list. Leave empty to extract all documents in the workflow, or in the collection below.',
};

export const columnIds: INodeProperties = {
	displayName: 'Column Names or IDs',
	name: 'columnIds',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getColumns', loadOptionsDependsOn: ['options.workflowId'] },
	default: [],
	description:
		'The columns to extract. Leave empty for all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

export const force: INodeProperties = {
	displayName: 'Force',
	name: 'force',
	type: 'boolean',
	default: false,
	description: 'Whether to extract columns again that already have results, and overwrite them',
};
