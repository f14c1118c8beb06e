import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Client } from '../../service/client';
import { fileAtUrl, fileStore, mergeCollection } from '../../service/collections';
import { problemOfUrl } from '../../account/credential';
import { fieldsOf, isFieldPath, valueIn } from '../../account/fields';
import { noteIn } from '../../service/callError';
import { sentences, withoutSignedUrls } from '../../http/redact';
import type { FileStore } from '../../http/response';
import { failedAfter } from '../../messages/words';
import { asJson, forEachItem, type Operation } from '../operation';
import {
	collectionId,
	createClient,
	existingCollection,
	fieldValue,
	jsonField,
	options,
	textFrom,
} from '../parameters';

const outputField: INodeProperties = {
	displayName: 'Output Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	hint: 'The name of the output field that the merged PDF is put in',
	description:
		'Used when the service responds with the PDF, or when the node downloads it from a URL',
};

export const merge: Operation = {
	resource: 'collection',
	name: 'Merge Documents',
	value: 'merge',
	description: 'Merge all PDFs in a collection into one',
	action: 'Merge documents in collection',
	output: 'raw',
	fields: [
		{
			...existingCollection,
			required: true,
			description: 'The collection whose PDFs are merged',
		},
		outputField,
		options(
			{
				displayName: 'Download URL Field',
				name: 'downloadUrlField',
				type: 'string',
				default: '',
				placeholder: 'e.g. url or data.file.url',
				description:
					'If your service responds with JSON: the field that contains the URL of the merged PDF. The node then downloads the PDF from there. Enter a name, which is found anywhere in the response, or a path with dots, which is followed exactly.',
			},
			{
				displayName: 'Label Order',
				name: 'labelOrder',
				type: 'string',
				typeOptions: { rows: 4 },
				default: '',
				placeholder: 'e.g. ["first", "second"]',
				description:
					"The order of the documents, as JSON: see label_order in your API reference. Leave empty for the collection's own order.",
			},
		),
	],
	run: forEachItem(async (context, itemIndex) => {
		const settings = context.getNodeParameter('options', itemIndex, {});
		const labelOrder = jsonField(settings.labelOrder, 'Label Order') as IDataObject | undefined;
		const urlField = textFrom(settings.downloadUrlField, 'Download URL Field');
		if (urlField && !isFieldPath(urlField)) {
			throw new UserError(
				"'Download URL Field' is neither a field name nor a path such as 'a.b[0].c'",
			);
		}
		const field = fieldValue(context, itemIndex, outputField, textFrom);
		const client = await createClient(context, itemIndex);
		const id = collectionId(context, itemIndex);
		const store = fileStore(context, `${id}.pdf`, 'application/pdf');
		const merged = await mergeCollection(client, id, labelOrder, store);
		const json = asJson(merged.json ?? { collectionId: id });
		if (merged.file) return [{ json, binary: { [field]: merged.file } }];
		if (!urlField) return [{ json }];
		const file = await followUrl(client, json, urlField, store);
		return [{ json: withoutSignedUrls(json) as IDataObject, binary: { [field]: file } }];
	}),
};

/** Downloads the merged PDF from where the response says that it is. */
async function followUrl(client: Client, json: IDataObject, urlField: string, store: FileStore) {
	const found = valueIn(json, urlField);
	const url = typeof found === 'string' ? found : '';
	const problem = problemOfUrl(url, client.account.address);
	if (problem) {
		throw new UserError(`'Download URL Field' leads to no usable URL: ${problem}`, {
			description: sentences(
				noteIn(json, client.account.apiKey),
				`The collection was merged. In 'Download URL Field' in the options, enter the field that contains the URL of the merged PDF; the response has: ${fieldsOf(json)}. If the field is right, or you cannot tell, show this to your account team.`,
			),
		});
	}
	try {
		return await fileAtUrl(client, url, store);
	} catch (error) {
		throw failedAfter(error as Error, 'The collection was merged, but its PDF did not arrive.');
	}
}
