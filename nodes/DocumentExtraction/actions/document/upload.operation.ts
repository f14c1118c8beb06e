import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { addHint } from '../../service/run';
import { asText } from '../../http/redact';
import { wordsOf } from '../../messages/words';
import { inputDataFieldName } from '../files/select';
import type { Operation, Outcome } from '../operation';
import { options, uploadCollection } from '../parameters';
import {
	documentFields,
	failedUpload,
	fileItem,
	fileOptions,
	hintAtUploads,
	uploadFilesOfItems,
	uploadMethod,
	withoutId,
	type FileUpload,
} from '../files/upload';

export const upload: Operation = {
	resource: 'document',
	name: 'Upload',
	value: 'upload',
	description: 'Upload files as documents, without extracting them yet',
	action: 'Upload documents',
	builderHint: {
		propertyHint:
			'Only where extraction is to start later or elsewhere; extractFromFiles uploads by itself.',
	},
	uses: ['directUpload', 'signedUpload'],
	output: {
		documentId: { type: ['string', 'null'] },
		file: {
			type: 'object',
			properties: {
				field: { type: 'string' },
				name: { type: 'string' },
				mimeType: { type: 'string' },
				size: { type: 'integer' },
			},
		},
		uploadMethod: { type: 'string' },
	},
	fields: [inputDataFieldName, uploadMethod, uploadCollection, options(...fileOptions)],
	async run(context) {
		const run = await uploadFilesOfItems(context, { needsDocumentId: false });
		hintAtUploads(context, run);
		hintAtMissingIds(context, run.uploads);
		return [...run.invalid, ...run.uploads.map(outcomeOf)];
	},
};

/** Without an ID, later nodes cannot use the document. */
function hintAtMissingIds(context: IExecuteFunctions, uploads: FileUpload[]) {
	const first = uploads.find(({ stage }) => stage.name === 'unknown' && 'response' in stage);
	if (!first) return;
	const { message, description } = wordsOf(withoutId(first, false));
	addHint(context, `documentId is null. ${message}. ${asText(description)}`);
}

function outcomeOf(upload: FileUpload): Outcome {
	const { error, stage, method, file } = upload;
	if (error || !('response' in stage)) return failedUpload(upload);
	const json = {
		...documentFields(upload),
		uploadMethod: method,
		response: stage.response as IDataObject,
	};
	return { itemIndex: file.itemIndex, items: [fileItem(upload, json)] };
}
