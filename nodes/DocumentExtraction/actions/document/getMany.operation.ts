import type { IExecuteFunctions } from 'n8n-workflow';

import { connect } from '../../transport/connection';
import { readDocuments } from '../../transport/documents';
import { forOperation, limit, options, returnAll, wantedRows } from '../fields';
import { asJson } from '../operation';

export const description = forOperation('document', 'getAll', [
	returnAll,
	limit,
	{
		displayName: 'Query Parameters',
		name: 'query',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Parameter',
		default: {},
		description:
			"Filters and the like, sent as they are. Your account's API reference lists what this endpoint knows.",
		options: [
			{
				displayName: 'Parameter',
				name: 'parameters',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						description: 'As the API reference spells it',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						description: 'The value to send',
					},
				],
			},
		],
	},
	options(),
]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const wanted = wantedRows(context, itemIndex);
	const connection = await connect(context, itemIndex);
	const { parameters = [] } = context.getNodeParameter('query', itemIndex, {}) as {
		parameters?: Array<{ name: unknown; value: unknown }>;
	};
	const query: { [name: string]: string[] } = {};
	for (const { name, value } of parameters) {
		const key = String(name ?? '').trim();
		if (key) query[key] = [...(query[key] ?? []), String(value ?? '')];
	}
	const rows = await readDocuments(context, connection, query, wanted);
	return rows.map((row) => ({ json: asJson(row) }));
}
