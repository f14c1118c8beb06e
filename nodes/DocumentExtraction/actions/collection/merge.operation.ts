import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isSafeUrl } from '../../api/credential';
import { fieldsOf, isFieldPath, valueIn } from '../../api/details/fields';
import { connect, inputError } from '../../transport/connection';
import { downloadFile, fileStore } from '../../transport/download';
import { withNote } from '../../transport/errors';
import { callService, pathSegment, workflowPath } from '../../transport/request';
import { withoutSignedUrls } from '../../transport/upload';
import {
	chosenCollection,
	existingCollection,
	forOperation,
	jsonField,
	options,
	requiredText,
} from '../fields';
import { asJson } from '../operation';

export const description = forOperation('collection', 'merge', [
	{
		...existingCollection,
		required: true,
		description: 'The collection whose PDFs become one PDF',
	},
	{
		displayName: 'Output Data Field Name',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		hint: 'The name of the output field that the merged PDF is put in',
		description: 'Used when the service answers with the PDF, or when a download URL is followed',
	},
	options(
		{
			displayName: 'Download URL Field',
			name: 'downloadUrlField',
			type: 'string',
			default: '',
			placeholder: 'e.g. url or data.file.url',
			description:
				"If your account's service answers with JSON: the field that holds the URL of the merged PDF, which is then downloaded. A bare name is found wherever it stands; a path with dots is taken literally.",
		},
		{
			displayName: 'Label Order',
			name: 'labelOrder',
			type: 'json',
			default: '',
			placeholder: 'e.g. ["first", "second"]',
			description:
				"The order of the documents, as JSON in the form that your account's API reference shows for label_order. Without it, the order of the collection is used.",
		},
	),
]);

export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const settings = context.getNodeParameter('options', itemIndex, {});
	const labelOrder = jsonField(context, itemIndex, settings.labelOrder, 'Label Order');
	const urlField = String(settings.downloadUrlField ?? '').trim();
	if (urlField && !isFieldPath(urlField)) {
		throw inputError(
			context,
			itemIndex,
			"'Download URL Field' is neither a field name nor a path such as 'a.b[0].c'",
		);
	}
	const outputField = requiredText(
		context,
		itemIndex,
		'binaryPropertyName',
		'Output Data Field Name',
	);
	const connection = await connect(context, itemIndex);
	const collectionId = chosenCollection(context, itemIndex).id ?? '';
	const collection = pathSegment(context, connection, collectionId, 'Collection');

	const store = fileStore(context, `${collectionId}.pdf`);
	const answer = await callService(context, connection, {
		method: 'POST',
		path: `${workflowPath(context, connection)}/collections/${collection}/merged-document`,
		body: labelOrder === undefined ? undefined : { label_order: labelOrder as IDataObject },
		answer: 'json',
		store,
		shownBy: 'Document › Get Many',
	});
	const json = asJson(answer.json ?? { collectionId });
	if (answer.file) return [{ json, binary: { [outputField]: answer.file } }];
	return [urlField ? await followUrl() : { json }];

	async function followUrl() {
		const url = valueIn(answer.json, urlField);
		if (typeof url !== 'string' || !isSafeUrl(url, connection.address)) {
			throw inputError(
				context,
				itemIndex,
				"The answer holds no URL under 'Download URL Field'",
				`The collection was merged. The answer has: ${fieldsOf(json)}.`,
			);
		}
		try {
			const binary = await downloadFile(context, connection, url, store);
			return {
				json: withoutSignedUrls(json) as IDataObject,
				binary: { [outputField]: binary },
			};
		} catch (error) {
			throw withNote(error, 'The collection is merged; only its PDF did not arrive.');
		}
	}
}
