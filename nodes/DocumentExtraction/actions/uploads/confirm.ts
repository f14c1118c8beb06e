import { confirmDocuments, placeholders } from '../../api/upload';
import { grouped } from '../grouped';
import type { FileUpload } from './fileUpload';

/** Confirms what went up by signed URL; documents that one call can name together go together. */
export async function confirmUploads(uploads: FileUpload[]) {
	const signed = uploads.filter(
		({ method, uploaded, error }) => method === 'signed' && uploaded && !error,
	);
	const groups = grouped(signed, ({ client, collection }) => [client, collection]);
	await Promise.all(groups.map(confirmTogether));
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
		if (outcome.error) upload.error = outcome.error;
		else upload.confirmation = { response: outcome.value };
	}
}
