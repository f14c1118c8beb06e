import type { INodeProperties } from 'n8n-workflow';

export const DEFAULT_MAX_WAIT_S = 300;
export const DEFAULT_SETTLE_S = 3;

export const waitOptions: INodeProperties[] = [
	{
		displayName: 'Max Wait (Seconds)',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_WAIT_S,
		description:
			'How long to wait for the extraction. It goes on when the node stops waiting, and its results can be fetched later.',
	},
	{
		displayName: 'On Timeout',
		name: 'onTimeout',
		type: 'options',
		options: [
			{
				name: 'Fail',
				value: 'fail',
				description: 'The item fails, with the IDs and the last status in its message',
			},
			{
				name: 'Return Status',
				value: 'status',
				description: 'The item goes on, with its ID and the last status',
			},
		],
		default: 'fail',
		description: 'What to do with documents that are not finished after Max Wait',
	},
	{
		displayName: 'Settle Time (Seconds)',
		name: 'settleTime',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_SETTLE_S,
		description:
			'How long results must stay unchanged, or the workflow idle, before the node considers the extraction finished. For a document without results, the workflow must be idle ten times as long.',
	},
];
