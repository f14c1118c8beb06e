import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DetailError, sendAnswer } from '../answers.ts';
import { uploadOf } from '../ledger.ts';
import type { StoredFile } from '../model.ts';
import type { Parts } from '../parts.ts';
import { text } from '../profiles/schemas.ts';
import type { LoggedPart } from '../requestLog.ts';
import { isPdf, receive } from '../storedFile.ts';
import { formCheck } from '../validation.ts';
import type { WorkflowParams } from './route.ts';

interface ReceivedFile extends StoredFile {
	field: string;
	fileName: string;
	contentType: string;
}

export function directUploadRoutes(app: FastifyInstance, parts: Parts) {
	const { profile, store, settings } = parts;
	const fileField = profile.apiDetails.uploadFileField;
	const form = {
		required: [fileField],
		properties: { collection_id: profile.idSchemas.collection, collection_name: text },
	};
	const check = formCheck(form);

	app.post<WorkflowParams>(
		'/workflows/:workflow_id/documents',
		{ config: { operation: 'upload', scope: 'upload', form } },
		async (request, reply) => {
			const workflow = store.workflow(request.params.workflow_id, request.apiKey.environment);
			const { received, fields } = await receiveForm(request);

			const uploaded = received.find(({ field }) => field === fileField);
			check(uploaded ? { ...fields, [fileField]: uploaded } : fields);
			const { fileName, contentType, ...file } = uploaded as ReceivedFile;
			const isToBeChecked = settings().checksPdfs && contentType === 'application/pdf';
			if (isToBeChecked && !isPdf(file)) throw new DetailError(400, 'The file is not a PDF');
			const collection = store.collection(workflow, {
				id: fields.collection_id,
				name: fields.collection_name,
			});

			const description = { fileName, contentType, collection, file, confirmed: true };
			const document = store.addDocument(workflow, description);
			store.ledger.uploads.push(uploadOf(document, 'direct'));
			return sendAnswer(reply, profile.uploaded(document));
		},
	);
}

async function receiveForm(request: FastifyRequest) {
	const received: ReceivedFile[] = [];
	const fields: Record<string, string> = {};
	const logged: LoggedPart[] = [];
	if (!request.isMultipart()) return { received, fields };

	for await (const part of request.parts()) {
		if (part.type === 'field') {
			fields[part.fieldname] = String(part.value);
			logged.push({ name: part.fieldname, value: part.value });
			continue;
		}
		const { fieldname: field, filename: fileName, mimetype: contentType } = part;
		const file = await receive(part.file, request.faults);
		received.push({ field, fileName, contentType, ...file });
		const { size, sha256 } = file;
		logged.push({ name: field, fileName, contentType, size, sha256 });
	}
	request.logged.body = { parts: logged };
	return { received, fields };
}
