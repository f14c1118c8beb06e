import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { connect } from '../../transport/connection';
import { callService, pathSegment, workflowPath } from '../../transport/request';
import { documentId, forOperation, jsonField, options } from '../fields';

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
	const connection = await connect(context, itemIndex);
	const id = context.getNodeParameter('documentId', itemIndex) as string;
	const document = pathSegment(context, connection, String(id), 'Document ID');
	const { json: answer } = await callService(context, connection, {
		method: 'POST',
		path: `${workflowPath(context, connection)}/documents/${document}/extract`,
		body: json,
		answer: 'any',
		shownBy: 'Document › Get Many',
	});
	return [{ json: { documentId: String(id).trim(), answer: (answer ?? null) as IDataObject } }];
}
