import { readDocuments } from '../../service/documents';
import { asJson, forEachItem, type Operation } from '../operation';
import { createClient, limit, options, returnAll, textFrom, wantedRows } from '../parameters';

export const getManyDocuments: Operation = {
	resource: 'document',
	name: 'Get Many',
	value: 'getAll',
	description: 'Retrieve a list of documents with their status',
	action: 'Get many documents',
	output: 'raw',
	fields: [
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
				'Filters and other parameters, sent unchanged. For what is accepted, see the endpoint for listing documents in your API reference.',
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
	],
	run: forEachItem(async (context, itemIndex) => {
		const wanted = wantedRows(context, itemIndex);
		const client = await createClient(context, itemIndex);
		const { parameters = [] } = context.getNodeParameter('query', itemIndex, {}) as {
			parameters?: Array<{ name: unknown; value: unknown }>;
		};
		const query = parameters
			.map(({ name, value }) => {
				textFrom(value, 'Value');
				// Sent as it is, with space around it.
				return [textFrom(name, 'Name'), String(value ?? '')] as const;
			})
			.filter(([name]) => name !== '');
		const documents = await readDocuments(client, query, wanted);
		return documents.map((document) => ({ json: asJson(document) }));
	}),
};
