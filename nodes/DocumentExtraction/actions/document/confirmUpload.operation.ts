import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { connect, inputError } from '../../transport/connection';
import { withNote, withoutMarkup } from '../../transport/errors';
import { assertCanConfirm, confirmDocuments, placeholders } from '../../transport/upload';
import {
	chosenCollection,
	documentIds,
	forOperation,
	idList,
	options,
	uploadCollection,
} from '../fields';

export const description = forOperation('document', 'confirmUpload', [
	{
		...documentIds,
		required: true,
		description:
			'The documents whose files have been put to their upload URLs, as IDs with commas between them or an expression that gives a list',
	},
	uploadCollection,
	options(
		{
			displayName: 'Content Type',
			name: 'contentType',
			type: 'string',
			default: '',
			placeholder: 'e.g. application/pdf',
			description: "For a 'Confirm Body' that mentions {content_type}",
		},
		{
			displayName: 'File Name',
			name: 'fileName',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice.pdf',
			description: "For a 'Confirm Body' that mentions {file_name}",
		},
		{
			displayName: 'File Size',
			name: 'fileSize',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description: "In bytes, for a 'Confirm Body' that mentions {file_size}",
		},
	),
]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const connection = await connect(context, itemIndex);
	const ids = idList(context, itemIndex, 'documentIds');
	if (ids.length === 0) throw inputError(context, itemIndex, "'Document IDs' is empty");
	assertCanConfirm(context, connection);
	const { contentType, fileName, fileSize } = context.getNodeParameter('options', itemIndex, {});
	const collection = chosenCollection(context, itemIndex);
	const outcomes = await confirmDocuments(
		context,
		connection,
		ids.map((id) => ({
			...placeholders(connection, collection),
			document_id: id,
			file_name: (fileName as string) || undefined,
			content_type: (contentType as string) || undefined,
			file_size: (fileSize as number) || undefined,
		})),
	);
	const failed = outcomes.find(({ error }) => error);
	const confirmed = ids.filter((_, index) => !outcomes[index].error);
	if (failed?.error) {
		const note = confirmed.length > 0 ? `Confirmed are: ${confirmed.join(', ')}.` : '';
		throw withNote(failed.error, withoutMarkup(note));
	}
	return outcomes.map((outcome, index) => {
		const answer = (outcome.error ? null : (outcome.value ?? null)) as IDataObject;
		return { json: { documentId: ids[index], confirmed: true, answer } };
	});
}
