import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { connect, inputError } from '../../transport/connection';
import { callService, pathSegment, workflowPath } from '../../transport/request';
import { documentId, forOperation, jsonField, options, requiredText } from '../fields';

export const description = forOperation('extraction', 'extractOne', [
	documentId,
	options({
		displayName: 'Body',
		name: 'body',
		type: 'json',
		default: '',
		placeholder: 'e.g. {"key": "value"}',
		description:
			"JSON to send along, if your account's API reference asks for one. None is sent by default.",
	}),
]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const { body } = context.getNodeParameter('options', itemIndex, {});
	const json = jsonField(context, itemIndex, body, 'Body') as IDataObject | undefined;
	if (json !== undefined && (json === null || typeof json !== 'object')) {
		throw inputError(context, itemIndex, "'Body' must be a JSON object or list");
	}
	const connection = await connect(context, itemIndex);
	const id = requiredText(context, itemIndex, 'documentId', 'Document ID');
	const document = pathSegment(context, connection, id, 'Document ID');
	const { json: answer } = await callService(context, connection, {
		method: 'POST',
		path: `${workflowPath(context, connection)}/documents/${document}/extract`,
		body: json,
		answer: 'any',
		shownBy: 'Document › Get Many',
	});
	return [{ json: { documentId: id, started: true, answer: (answer ?? null) as IDataObject } }];
}
