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
			'How long to wait for the extraction. After that it continues at the service, and you can fetch the results later.',
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
				description: 'The item continues, with its ID and the last status',
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
			'How long results must stay unchanged, or the workflow idle, to count as finished. The node waits ten times as long for anything missing, e.g. a document without results.',
	},
];
