import type { IDataObject } from 'n8n-workflow';

import { assertCanTake, placeholders, requestUploadUrl } from '../../service/upload';
import { shortName } from '../../http/redact';
import { forEachItem, type Operation } from '../operation';
import {
	checkedOptions,
	chosenCollection,
	createClient,
	fieldValue,
	fileSize,
	optionOf,
	options,
	textFrom,
	uploadCollection,
} from '../parameters';

export const createUploadUrl: Operation = {
	resource: 'document',
	name: 'Create Upload URL',
	value: 'createUploadUrl',
	description: 'Get a signed URL that a browser or phone can send a file to',
	action: 'Create upload URL for document',
	output: {
		documentId: { type: 'string' },
		uploadUrl: { type: 'string' },
		method: { type: 'string' },
		headers: { type: 'object', properties: { 'Content-Type': { type: 'string' } } },
	},
	fields: [
		{
			displayName:
				'Returns a URL to which a browser or phone can send one file, with an HTTP PUT request and the headers in the output. The API key stays in n8n. Once the file has been sent, confirm it with Document › Confirm Upload.',
			name: 'createUploadUrlNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'File Name',
			name: 'fileName',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. invoice.pdf',
			description: "The document's name",
		},
		{
			displayName: 'Content Type',
			name: 'contentType',
			type: 'string',
			required: true,
			default: 'application/pdf',
			description: 'The MIME type; the file must be sent with the headers that the output shows',
		},
		options(uploadCollection, fileSize),
	],
	run: forEachItem(async (context, itemIndex) => {
		const client = await createClient(context, itemIndex);
		const collection = chosenCollection(context, itemIndex, optionOf(uploadCollection));
		const required = (name: string, displayName: string) =>
			fieldValue(context, itemIndex, { name, displayName }, textFrom);
		const fileName = shortName(required('fileName', 'File Name'));
		const contentType = required('contentType', 'Content Type');
		const settings = checkedOptions(context, itemIndex, [fileSize]);
		assertCanTake(client, ['uploadUrl'], collection);
		const size = Number(settings.fileSize ?? 0) || undefined;
		const file = { name: fileName, mimeType: contentType, size };
		const upload = await requestUploadUrl(client, placeholders(client, collection, file));
		const json: IDataObject = {
			documentId: upload.documentId,
			uploadUrl: upload.url,
			method: 'PUT',
			headers: { 'Content-Type': contentType, ...upload.headers },
			response: upload.response as IDataObject,
		};
		return [{ json }];
	}),
};
