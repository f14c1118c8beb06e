/** Which files go up, and how: checked for all items before the first request. */
import { UserError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	createClient,
	DEFAULT_MAX_CONCURRENCY,
	readCredential,
	type Client,
} from '../../api/client';
import { assertConfirm } from '../../api/details/requests';
import { addHint, logProgress } from '../../api/run';
import {
	assertCanUpload,
	DEFAULT_SIGNED_FROM_MB,
	uploadMethodFor,
	type UploadMethod,
} from '../../api/upload';
import { settleInOrder } from '../../http/concurrency';
import { fileOptions } from '../fields/files';
import { waitOptions } from '../fields/waiting';
import {
	describedFile,
	hasManyItems,
	itemLabel,
	selectFiles,
	type SkippedFile,
} from '../inputFiles';
import { chosenCollection, optionsOf } from '../parameters';
import type { FileUpload, ItemUploads } from './fileUpload';

/** A checked client for an item, by its own credential or that of another item. */
export type ClientForItem = (itemIndex: number, credentialOf?: number) => Promise<Client>;

/**
 * n8n takes its time to read a credential: once for all files of an item.
 * @param check what else has to be right about an item for what follows the upload
 */
export function clientForItems(
	context: IExecuteFunctions,
	check: (client: Client) => void,
): ClientForItem {
	const credentials = new Map<number, ReturnType<typeof readCredential>>();
	return async (itemIndex, credentialOf = itemIndex) => {
		const client = await createClient(context, itemIndex, async () => {
			const credential = credentials.get(credentialOf) ?? readCredential(context, credentialOf);
			credentials.set(credentialOf, credential);
			return await credential;
		});
		check(client);
		return client;
	};
}

/**
 * The uploads of all items. Every item's settings are checked, with the first item's credential; one
 * of its own is checked when its turn comes.
 * @throws what is wrong with the first item that is, when the node does not continue on fail
 */
export async function planUploads(
	context: IExecuteFunctions,
	clientFor: ClientForItem,
): Promise<ItemUploads[]> {
	const plans = await settleInOrder(
		[...context.getInputData().keys()],
		DEFAULT_MAX_CONCURRENCY,
		!context.continueOnFail(),
		async (itemIndex) => {
			const plan = async (credentialOf: number) =>
				await planItem(context, await clientFor(itemIndex, credentialOf), itemIndex);
			return itemIndex === 0
				? await plan(0)
				: await plan(0).catch(async () => await plan(itemIndex));
		},
	);
	const skipped: SkippedFile[] = [];
	const items = plans.flatMap((plan, itemIndex): ItemUploads[] => {
		if (plan === undefined) return [];
		if (plan.error) return [{ itemIndex, error: plan.error }];
		for (const file of plan.value.skipped) skipped.push(file);
		return [{ itemIndex, uploads: plan.value.uploads }];
	});
	reportSkipped(context, items, skipped);
	return items;
}

async function planItem(context: IExecuteFunctions, client: Client, itemIndex: number) {
	const options = optionsOf(context, itemIndex, ...fileOptions, ...waitOptions);
	const collection = chosenCollection(context, itemIndex);
	const selection = context.getNodeParameter('binaryPropertyName', itemIndex);
	const { files, skipped } = await selectFiles(context, itemIndex, selection, options);
	const uploads = files.map((file): FileUpload => {
		const upload = { file, collection, options };
		return { ...upload, ...route(context, client, upload) };
	});
	return { uploads, skipped };
}

/** Which way a file goes to the service, checked before its first request. */
export function route(
	context: IExecuteFunctions,
	client: Client,
	{ file, collection, options }: Pick<FileUpload, 'file' | 'collection' | 'options'>,
): Pick<FileUpload, 'client' | 'method'> {
	const chosen = context.getNodeParameter('uploadMethod', file.itemIndex) as
		| UploadMethod
		| 'automatic';
	if (!['automatic', 'direct', 'signed'].includes(chosen)) {
		throw new UserError("'Upload Method' must be automatic, direct or signed");
	}
	const signedFromMb = Number(options.signedFromMb ?? DEFAULT_SIGNED_FROM_MB);
	const method = uploadMethodFor(client, chosen, signedFromMb, file.size);
	assertCanUpload(client, method, collection);
	if (method === 'signed') assertConfirm(client.credential);
	return { client, method };
}

const MOST_SHOWN = 5;

/** Nothing is skipped silently: hints name the first few, n8n's log all. */
function reportSkipped(context: IExecuteFunctions, items: ItemUploads[], skipped: SkippedFile[]) {
	const empty = items.filter((item) => !item.error && item.uploads.length === 0);
	const messages = [
		...skipped.map(({ file, reason }) => `Skipped ${describedFile(file)}: ${reason}`),
		...empty.map(
			({ itemIndex }) =>
				`There is no file to upload${hasManyItems(context) ? ` in ${itemLabel(itemIndex)}` : ''}`,
		),
	];
	if (messages.length === 0) return;
	const rest = messages.length - MOST_SHOWN;
	const shown = messages.slice(0, MOST_SHOWN).join('. ');
	addHint(context, `${shown}${rest > 0 ? `. And ${rest} more` : ''}.`);
	logProgress(context, messages.join('. '));
}
