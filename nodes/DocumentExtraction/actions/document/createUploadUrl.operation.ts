import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { connect } from '../../transport/connection';
import { assertCanUpload, createUploadUrl, placeholders } from '../../transport/upload';
import { chosenCollection, forOperation, options, requiredText, uploadCollection } from '../fields';

export const description = forOperation('document', 'createUploadUrl', [
	{
		displayName:
			'Returns a URL to which a browser or phone can PUT one file, while the API key stays in n8n. Confirm the upload afterwards with Document › Confirm Upload.',
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
		description: 'The name that the document gets',
	},
	{
		displayName: 'Content Type',
		name: 'contentType',
		type: 'string',
		required: true,
		default: 'application/pdf',
		description: 'The MIME type of the file. The PUT must send the same one.',
	},
	{
		displayName: 'File Size',
		name: 'fileSize',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'In bytes; 0 if it is not known',
	},
	uploadCollection,
	options(),
]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const connection = await connect(context, itemIndex);
	const collection = chosenCollection(context, itemIndex);
	const fileName = requiredText(context, itemIndex, 'fileName', 'File Name');
	const contentType = requiredText(context, itemIndex, 'contentType', 'Content Type');
	const fileSize = Number(context.getNodeParameter('fileSize', itemIndex));
	assertCanUpload(context, connection, 'signed', collection);
	const { url, documentId, answer } = await createUploadUrl(context, connection, {
		...placeholders(connection, collection),
		file_name: fileName,
		content_type: contentType,
		file_size: fileSize || undefined,
	});
	const json: IDataObject = {
		documentId,
		uploadUrl: url,
		method: 'PUT',
		headers: { 'Content-Type': contentType },
		answer: answer as IDataObject,
	};
	return [{ json }];
}
