import type { IExecuteFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { operationsByReadiness } from '../../api/details/uses';
import { openApiFrom } from '../../api/openApi';
import { addHint } from '../../api/run';
import { checkSetup } from '../../api/setup';
import { forOperation, options } from '../fields/options';

export const description = forOperation('workflow', 'checkSetup', [
	{
		displayName:
			"Looks up the API Details of the credential in your account's API reference and in what the service returns. It only reads, and changes nothing.",
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
			"The machine-readable form of the API reference: paste its JSON, use an expression, or enter its address if it is on the same host as Base URL. Leave it empty to check the credential's own entries only.",
		hint: 'API references often link to it as openapi.json or swagger.json',
	},
	options(),
]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const client = await createClient(context, itemIndex);
	const given = context.getNodeParameter('openApiDocument', itemIndex);
	const rows = await checkSetup(client, await openApiFrom(client, given));
	const { ready, lacking } = operationsByReadiness(client.credential);
	addHint(context, `Works with what is filled in: ${ready.join('; ')}.`);
	if (lacking.length > 0) addHint(context, `Does not work yet: ${lacking.join('; ')}.`);
	return rows.map((row) => ({ json: { ...row } }));
}
