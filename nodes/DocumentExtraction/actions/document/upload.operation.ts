import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { uploadCollection } from '../fields/collection';
import { fileOptions, inputDataFieldName, uploadMethod } from '../fields/files';
import { forOperation, options } from '../fields/options';
import type { Outcome } from '../operation';
import { documentFields, failedUpload, fileItem, type FileUpload } from '../uploads/fileUpload';
import { hintAtUploads, uploadFilesOfItems } from '../uploads/upload';

export const description = forOperation('document', 'upload', [
	inputDataFieldName,
	uploadMethod,
	uploadCollection,
	options(...fileOptions),
]);

export async function executeRun(context: IExecuteFunctions): Promise<Outcome[]> {
	const items = await uploadFilesOfItems(context, { needsDocumentId: false });
	hintAtUploads(context, items);
	return items.flatMap((item): Outcome[] => (item.error ? [item] : item.uploads.map(outcomeOf)));
}

function outcomeOf(upload: FileUpload): Outcome {
	const { error, uploaded, confirmation, method, file } = upload;
	if (error || !uploaded) return failedUpload(upload, error as Error);
	const response = confirmation
		? { upload: uploaded.response, confirm: confirmation.response }
		: uploaded.response;
	const json = {
		...documentFields(upload),
		uploadMethod: method,
		response: response as IDataObject,
	};
	return { itemIndex: file.itemIndex, items: [fileItem(upload, json)] };
}
