import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isOuter } from '../../account/fields';
import { startExtractionOfOne } from '../../service/extractions';
import { forEachItem, type Operation } from '../operation';
import { createClient, fieldValue, idFrom, jsonField, options } from '../parameters';

const documentId: INodeProperties = {
	displayName: 'Document ID',
	name: 'documentId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description: "The document's ID at the service, which its upload returned",
};

export const extractOne: Operation = {
	resource: 'extraction',
	name: 'Extract One Document',
	value: 'extractOne',
	description: 'Start the extraction of a single uploaded document, without waiting for it',
	action: 'Extract one document uploaded earlier',
	builderHint: {
		propertyHint:
			"Use this only if the user asks for the service's single-document endpoint; otherwise use extractDocuments, which can wait.",
	},
	output: { documentId: { type: 'string' }, started: { type: 'boolean' } },
	fields: [
		documentId,
		options({
			displayName: 'Body',
			name: 'body',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. {"key": "value"}',
			description: 'A JSON body, if your API reference asks for one. None is sent by default.',
		}),
	],
	run: forEachItem(async (context, itemIndex) => {
		const { body } = context.getNodeParameter('options', itemIndex, {});
		const json = jsonField(body, 'Body') as IDataObject | undefined;
		if (json !== undefined && !isOuter(json)) {
			throw new UserError("'Body' must be a JSON object or list");
		}
		const client = await createClient(context, itemIndex);
		const id = fieldValue(context, itemIndex, documentId, idFrom);
		const response = await startExtractionOfOne(client, id, json);
		return [
			{ json: { documentId: id, started: true, response: (response ?? null) as IDataObject } },
		];
	}),
};
