import { confirmDocuments } from '../../api/confirm';
import { recall, remember } from '../../api/memory';
import { placeholders } from '../../api/upload';
import { grouped } from '../grouped';
import type { FileUpload } from './fileUpload';

/** Confirms what went up by signed URL; documents that one call can name together go together. */
export async function confirmUploads(uploads: FileUpload[]) {
	const signed = uploads.filter(
		({ method, uploaded, error }) => method === 'signed' && uploaded && !error,
	);
	for (const upload of signed) recallConfirmation(upload);
	const open = signed.filter(({ confirmation, error }) => !confirmation && !error);
	const groups = grouped(open, ({ client, collection }) => [client, collection]);
	await Promise.all(groups.map(confirmTogether));
}

const keyOf = ({ uploaded }: FileUpload) => `confirm ${uploaded?.documentId}`;

function recallConfirmation(upload: FileUpload) {
	const before = recall(upload.client, keyOf(upload));
	if (before?.error) upload.error = before.error;
	else if (before) upload.confirmation = { response: before.value };
}

async function confirmTogether(group: FileUpload[]) {
	const [{ client }] = group;
	const outcomes = await confirmDocuments(
		client,
		group.map(({ file, collection, uploaded }) => ({
			...placeholders(client, collection),
			document_id: uploaded?.documentId,
			file_name: file.name,
			content_type: file.mimeType,
			file_size: file.size,
		})),
	);
	for (const [index, upload] of group.entries()) {
		const outcome = outcomes[index];
		remember(client, keyOf(upload), outcome);
		if (outcome.error) upload.error = outcome.error;
		else upload.confirmation = { response: outcome.value };
	}
}
