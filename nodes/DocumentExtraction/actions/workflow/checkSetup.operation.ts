import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { openApiFrom } from '../../api/details/openApi/reading';
import { addHint } from '../../api/run';
import { reviewSetup, type SetupItem } from '../../api/setup';
import { forEachItem, type Operation } from '../operation';
import { options } from '../parameters';

export const checkSetup: Operation = {
	resource: 'workflow',
	name: 'Check Setup',
	value: 'checkSetup',
	description: 'Find out what to enter in the credential',
	action: 'Check setup of the credential',
	uses: [],
	output: {
		apiDetail: { type: 'string' },
		enter: { type: 'string' },
		why: { type: 'string' },
		todo: { type: 'string' },
	},
	fields: [
		{
			displayName:
				'Finds out what to enter in the credential, from your API reference and from your documents and results at the service. It only reads, and changes nothing.',
			name: 'checkSetupNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'OpenAPI Document',
			name: 'openApiDocument',
			type: 'string',
			typeOptions: { rows: 5 },
			default: '',
			placeholder: 'e.g. https://api.example.com/openapi.json',
			description:
				'The API reference as JSON: paste it, use an expression, or enter its address if it is on the same host as Base URL. Without it, Check Setup uses only your entries and what they lead to: the workflow, documents and results.',
			hint: 'API references often link to it as openapi.json or swagger.json',
		},
		options(),
	],
	run: forEachItem(async (context, itemIndex, operations) => {
		const client = await createClient(context, itemIndex);
		const given = context.getNodeParameter('openApiDocument', itemIndex);
		const document = await openApiFrom(client, given);
		const { items, summary } = await reviewSetup(
			client,
			document,
			uploadResponses(context, itemIndex),
			operations.filter(({ value }) => value !== 'checkSetup'),
		);
		addHint(context, summary);
		return items.map((item) => ({ json: withoutBlanks(item) }));
	}),
};

/** n8n's table shows an empty text, and a field that only other items have, in red. */
const NOTHING = '–';

/** Every item has the same fields, as n8n's Schema view shows one item filled up from the others. */
function withoutBlanks(item: SetupItem): IDataObject {
	return Object.fromEntries(
		Object.entries(item).map(([field, text]: [string, string]) => [field, text || NOTHING]),
	);
}

/** The response to a direct upload, if Check Setup follows Document › Upload. */
function uploadResponses(context: IExecuteFunctions, itemIndex: number): unknown[] {
	const { uploadMethod, response } = context.getInputData()[itemIndex].json;
	return uploadMethod === 'direct' && response ? [response] : [];
}
