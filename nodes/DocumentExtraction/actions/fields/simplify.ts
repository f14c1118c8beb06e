import type { INodeProperties } from 'n8n-workflow';

import { DETAIL_GROUPS } from '../../api/details/apiDetails';

export const simplify: INodeProperties = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: `One item per document. Needs '${DETAIL_GROUPS.responseFields.label}' in the credential.`,
	displayOptions: { show: { '@tool': [false] } },
};

/** What an agent gets: it pays for each word, and too many confuse it. */
export const output: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	options: [
		{
			name: 'Raw',
			value: 'raw',
			description: 'The raw JSON from the service',
		},
		{
			name: 'Selected Fields',
			value: 'selectedFields',
			description: 'The document ID and the columns that you select',
		},
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'One item per document, with a field for each column',
		},
	],
	default: 'simplified',
	description: 'Which fields the agent gets',
	hint: `'Simplified' and 'Selected Fields' need '${DETAIL_GROUPS.responseFields.label}' in the credential.`,
	displayOptions: { show: { '@tool': [true] } },
};

export const selectedFields: INodeProperties = {
	displayName: 'Column Names or IDs',
	name: 'selectedFields',
	type: 'multiOptions',
	typeOptions: {
		loadOptionsMethod: 'getColumnNames',
		loadOptionsDependsOn: ['options.workflowId'],
	},
	required: true,
	default: [],
	description:
		'The columns to give the agent, besides the document ID. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
};
