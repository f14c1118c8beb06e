/** Upload File Field and Document ID Field: what a direct upload takes and returns. */
import { own, type Located } from '../document';
import { bodySchemas, parametersOf, responseSchemas, type Operation } from '../operations';
import { entrySchemas, propertiesOf, type Property, type SchemaReader } from '../schemas';
import { allows, isBinary } from '../values';
import {
	listed,
	MAY_BE_MORE,
	notDescribed,
	toFinding,
	type Finding,
	type Findings,
	type Found,
} from './found';
import { operationsWith, UPLOAD, type Reference } from './reference';
import { propertiesInResponses } from './responses';

export function findDirectUpload(
	reference: Reference,
): Pick<Findings, 'uploadFileField' | 'documentIdField'> {
	const uploads = operationsWith(reference, UPLOAD);
	if (uploads.length === 0) {
		const note = notDescribed('POST /workflows/{…}/documents', 'direct uploads');
		return { uploadFileField: { found: [], note }, documentIdField: { found: [], note } };
	}
	return {
		uploadFileField: uploadFileField(reference, uploads),
		documentIdField: documentIdField(reference, uploads),
	};
}

function uploadFileField({ document, reader }: Reference, uploads: Operation[]): Found {
	const fields =
		document.version === '2.0'
			? uploads
					.flatMap((upload) => parametersOf(document, upload))
					.filter(({ value }) => own(value, 'in') === 'formData' && own(value, 'type') === 'file')
					.map((parameter) => ({ value: own(parameter.value, 'name'), at: parameter.at }))
			: uploads
					.flatMap((upload) => bodySchemas(document, upload, isMultipart))
					.flatMap((body) => propertiesOf(reader, body))
					.filter(({ schema }) => isFile(reader, schema))
					.map(({ name, schema }) => ({ value: name, at: schema.at }));
	const found = fields.filter((field): field is Finding => typeof field.value === 'string');
	if (found.length === 0) {
		return {
			found: [],
			note: 'The upload endpoint does not say which of its form fields carries the file. Look in its description or example for the field that takes the file.',
		};
	}
	const values = new Set(found.map(({ value }) => value));
	return listed(
		found,
		values.size > 1
			? 'Several form fields take a file. Choose the one for the document itself.'
			: undefined,
	);
}

function isMultipart(mediaType: string): boolean {
	return mediaType.startsWith('multipart/form-data');
}

function isFile(reader: SchemaReader, schema: Located): boolean {
	return (
		isBinary(reader, schema) ||
		entrySchemas(reader, schema).some((entry) => isBinary(reader, entry))
	);
}

function documentIdField(reference: Reference, uploads: Operation[]): Found {
	const { found, isWhole } = propertiesInResponses(
		reference,
		uploads,
		({ name }) => name === 'document_id',
	);
	const places = found.map(toFinding);
	// One document, or a list of them: a bare name is found in both.
	const ways = new Set(places.map(({ value }) => value.replaceAll('[0]', '').replace(/^\./, '')));
	if (ways.size > 1) {
		return listed(
			places,
			"The upload's response has 'document_id' in several places. Choose the one of the uploaded document.",
		);
	}
	if (places.length > 0) {
		return listed([{ value: 'document_id', at: places[0].at }], isWhole ? undefined : MAY_BE_MORE);
	}
	return fieldsForAnId(reference, uploads);
}

/** What may identify the document where the response does not name it as the interface does. */
function fieldsForAnId(reference: Reference, uploads: Operation[]): Found {
	const { document, reader } = reference;
	const lookFor =
		'Look at the response of the upload endpoint for the field that holds the ID of the document, or upload one document and see what the response has.';
	if (uploads.every((upload) => responseSchemas(document, upload).length === 0)) {
		return { found: [], note: `The upload's response is not described. ${lookFor}` };
	}
	const mayIdentify = ({ name, schema }: Property) =>
		namesAnId(name) && allows(reader, schema, ['string', 'integer', 'number']);
	const { found } = propertiesInResponses(reference, uploads, mayIdentify);
	if (found.length === 0) {
		return { found: [], note: `The upload's response declares no field for an ID. ${lookFor}` };
	}
	return listed(
		found.map(toFinding),
		"The upload's response has no 'document_id'. By their names, these fields may hold an ID. Choose the one that identifies the document.",
	);
}

/** `id`, `doc_id`, `documentId`, `uuid`, but not `width`. */
function namesAnId(name: string): boolean {
	return name
		.slice(0, 200)
		.replace(/([a-z\d])([A-Z])/g, '$1 $2')
		.split(/[^A-Za-z]/)
		.some((word) => /^(?:u|gu|uu)?ids?$/i.test(word));
}
