import type { IDataObject } from 'n8n-workflow';

import { addHint } from '../../service/client';
import { asText } from '../../http/redact';
import { wordsOf } from '../../messages/words';
import type { Operation } from '../operation';
import { options } from '../parameters';
import {
	documentFields,
	fileFields,
	fileOptions,
	uploadFilesOfItems,
	withoutId,
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
	fields: [...fileFields, options(...fileOptions)],
	async run(context) {
		return await uploadFilesOfItems(context, {
			needsDocumentId: false,
			settingsOf: () => undefined,
			async finish(uploads) {
				for (const upload of uploads) {
					const { method, stage } = upload;
					const response = 'response' in stage ? ((stage.response ?? null) as IDataObject) : null;
					upload.output = [{ ...documentFields(upload), uploadMethod: method, response }];
				}
				// Without an ID, later nodes cannot use the document.
				const lacking = uploads.find(({ stage }) => stage.name === 'without ID');
				if (!lacking) return;
				const { message, description } = wordsOf(withoutId(lacking, false));
				addHint(
					context,
					`${message}. Therefore, documentId is null in its output item; other files may have the same problem. ${asText(description)}`,
				);
			},
		});
	},
};
