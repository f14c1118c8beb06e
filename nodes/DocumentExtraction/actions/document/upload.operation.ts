import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	fileFilterOptions,
	forOperation,
	inputDataFieldName,
	options,
	uploadCollection,
	uploadMethod,
} from '../fields';
import type { Outcome } from '../operation';
import { failedUpload, fileItem, hintAtUploads, uploadFilesOfItems } from '../uploads';

export const description = forOperation('document', 'upload', [
	inputDataFieldName,
	uploadMethod,
	uploadCollection,
	options(...fileFilterOptions),
]);

export async function executeRun(context: IExecuteFunctions): Promise<Outcome[]> {
	const items = await uploadFilesOfItems(context);
	hintAtUploads(context, items);
	return items.flatMap((item): Outcome[] => {
		if (item.error) return [item];
		return item.uploads.map((upload) => {
			const { error, uploaded, method } = upload;
			if (error || !uploaded) return failedUpload(upload, error as Error);
			const answer = uploaded.answer as IDataObject;
			return {
				itemIndex: item.itemIndex,
				items: [fileItem(upload, { uploadMethod: method, answer })],
			};
		});
	});
}
