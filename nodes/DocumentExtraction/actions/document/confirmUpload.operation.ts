import type { IDataObject } from 'n8n-workflow';

import { fewOf, sentences, shortName } from '../../http/redact';
import { assertCanTake, confirmDocuments, placeholders } from '../../service/upload';
import type { Outcome } from '../../http/concurrency';
import { failedAfter } from '../../messages/words';
import { forEachItem, type Operation, type ItemOutcome } from '../operation';
import {
	checkedOptions,
	chosenCollection,
	createClient,
	documentIds,
	fieldValue,
	fileSize,
	idsFrom,
	optionOf,
	options,
	textFrom,
	uploadCollection,
} from '../parameters';

export const confirmUpload: Operation = {
	resource: 'document',
	name: 'Confirm Upload',
	value: 'confirmUpload',
	description: 'Confirm files that were sent to upload URLs',
	action: 'Confirm upload of document',
	output: { documentId: { type: 'string' }, confirmed: { type: 'boolean' } },
	fields: [
		{
			...documentIds,
			required: true,
			description:
				'The documents whose files were sent to upload URLs: IDs separated by commas, or an expression that returns a list',
		},
		options(
			{ ...uploadCollection, description: 'Sent if Confirm Body has a placeholder for it' },
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
			fileSize,
		),
	],
	run: forEachItem(async (context, itemIndex) => {
		const client = await createClient(context, itemIndex);
		const ids = fieldValue(context, itemIndex, documentIds, idsFrom);
		const collection = chosenCollection(context, itemIndex, optionOf(uploadCollection));
		assertCanTake(client, ['confirmation'], collection);
		const settings = checkedOptions(context, itemIndex, [fileSize]);
		const values = placeholders(client, collection, {
			name: shortName(textFrom(settings.fileName, 'File Name')) || undefined,
			mimeType: textFrom(settings.contentType, 'Content Type') || undefined,
			size: Number(settings.fileSize ?? 0) || undefined,
		});
		const confirmed = await confirmDocuments(
			client,
			ids.map((id) => ({ ...values, document_id: id })),
		);
		const failure = confirmed.find(({ error }) => error)?.error;
		if (failure && !context.continueOnFail()) throw failedAfter(failure, stateOf(ids, confirmed));
		const outcomes = confirmed.map((outcome, index): ItemOutcome => {
			const documentId = ids[index];
			if (outcome.error) return { itemIndex, error: outcome.error, details: { documentId } };
			const response = (outcome.value.json ?? null) as IDataObject;
			return { itemIndex, items: [{ json: { documentId, confirmed: true, response } }] };
		});
		return { outcomes };
	}),
};

/** What a run that stops says of the other documents of its item. */
function stateOf(ids: string[], outcomes: Array<Outcome<unknown>>): string {
	const confirmed = ids.filter((_, index) => !outcomes[index].error);
	const others = ids.filter((_, index) => outcomes[index].error);
	return sentences(
		ids.length > 1 && `Perhaps not confirmed: ${fewOf(others)}.`,
		confirmed.length > 0 && `Already confirmed: ${fewOf(confirmed)}.`,
	);
}
