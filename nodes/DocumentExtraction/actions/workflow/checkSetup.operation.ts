import type { IExecuteFunctions } from 'n8n-workflow';

import { addHint } from '../../service/client';
import { readEvidence } from '../../setup/evidence';
import { findingsIn } from '../../setup/findings';
import { referenceOf } from '../../setup/reference';
import { setupFrom } from '../../setup/setup';
import type { Operation } from '../operation';
import { createClient, options } from '../parameters';

export const checkSetup: Operation = {
	resource: 'workflow',
	name: 'Check Setup',
	value: 'checkSetup',
	description: 'Find out what to enter in the credential',
	action: 'Check setup of credential',
	output: {
		apiDetail: { type: 'string' },
		enter: { type: 'string' },
		choices: { type: ['string', 'array'] },
		why: { type: 'string' },
	},
	fields: [
		{
			displayName:
				'Finds out what to enter in the credential, from your API reference, documents and results',
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
			description: [
				'An OpenAPI document is an API reference as a file that programs can read.',
				'If it has an address that begins like Base URL (https://, host and port), enter that.',
				'Otherwise, paste the document as JSON, or enter an expression that gives it.',
			].join(' '),
			hint: 'Try it empty first: the node then looks for openapi.json on the host of Base URL',
		},
		options(),
	],
	/** One review for all input items, which may be the responses to several uploads. */
	async run(context) {
		const client = await createClient(context, 0);
		const reference = await referenceOf(client, context.getNodeParameter('openApiDocument', 0));
		const evidence = await readEvidence(client, uploadResponses(context));
		const { items, summary } = setupFrom(client.account, findingsIn(reference), evidence);
		addHint(context, summary);
		const pairedItem = [...context.getInputData().keys()].map((item) => ({ item }));
		return [{ itemIndex: 0, items: items.map((json) => ({ json, pairedItem })) }];
	},
};

/** The responses to direct uploads, if Check Setup follows Document › Upload. */
function uploadResponses(context: IExecuteFunctions): unknown[] {
	return context
		.getInputData()
		.flatMap(({ json: { uploadMethod, response } }) =>
			uploadMethod === 'direct' && response ? [response] : [],
		);
}
