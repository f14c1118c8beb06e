import type { IDataObject } from 'n8n-workflow';

import { createClient, idsFrom, textFrom } from '../../service/client';
import { fewOf, sentences } from '../../service/sentences';
import { assertCanTake, confirmDocuments, placeholders } from '../../service/upload';
import { shortName } from '../../http/redact';
import { failedAfter } from '../../messages/words';
import { forEachItem, type Operation } from '../operation';
import {
	chosenCollection,
	documentIds,
	fieldValue,
	options,
	uploadCollection,
} from '../parameters';

export const confirmUpload: Operation = {
	resource: 'document',
	name: 'Confirm Upload',
	value: 'confirmUpload',
	description: 'Confirm files that were sent to upload URLs',
	action: 'Confirm upload of document',
	uses: ['confirmation'],
	output: { documentId: { type: 'string' }, confirmed: { type: 'boolean' } },
	fields: [
		{
			...documentIds,
			required: true,
			description:
				'The documents whose files were sent to upload URLs: IDs separated by commas, or an expression that returns a list',
		},
		{ ...uploadCollection, description: 'Optional: sent if Confirm Body has a placeholder for it' },
		options(
			{
				displayName: 'Content Type',
				name: 'contentType',
				type: 'string',
				default: '',
				placeholder: 'e.g. application/pdf',
				description: 'Sent for each document if Confirm Body contains {content_type}',
			},
			{
				displayName: 'File Name',
				name: 'fileName',
				type: 'string',
				default: '',
				placeholder: 'e.g. invoice.pdf',
				description: 'Sent for each document if Confirm Body contains {file_name}',
			},
			{
				displayName: 'File Size (Bytes)',
				name: 'fileSize',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description: 'Sent for each document if Confirm Body contains {file_size}',
			},
		),
	],
	run: forEachItem(async (context, itemIndex) => {
		const client = await createClient(context, itemIndex);
		const ids = fieldValue(context, itemIndex, documentIds, idsFrom);
		const collection = chosenCollection(context, itemIndex);
		assertCanTake(client, ['confirmation'], collection);
		const { contentType, fileName, fileSize } = context.getNodeParameter('options', itemIndex, {});
		const outcomes = await confirmDocuments(
			client,
			ids.map((id) => ({
				...placeholders(client, collection),
				document_id: id,
				file_name: shortName(textFrom(fileName, 'File Name')) || undefined,
				content_type: textFrom(contentType, 'Content Type') || undefined,
				file_size: (fileSize as number) || undefined,
			})),
		);
		const failed = outcomes.find(({ error }) => error);
		const confirmed = ids.filter((_, index) => !outcomes[index].error);
		if (failed?.error) {
			const others = ids.filter((_, index) => outcomes[index].error);
			const note = sentences(
				ids.length > 1 && `Perhaps not confirmed: ${fewOf(others)}.`,
				confirmed.length > 0 && `Already confirmed: ${fewOf(confirmed)}.`,
			);
			throw failedAfter(failed.error, note);
		}
		return outcomes.map((outcome, index) => {
			const response = (outcome.error ? null : (outcome.value.json ?? null)) as IDataObject;
			return { json: { documentId: ids[index], confirmed: true, response } };
		});
	}),
};
