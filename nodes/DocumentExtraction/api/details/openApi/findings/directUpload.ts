/** Upload File Field and Document ID Field: what a direct upload takes and returns. */
import { namesAnId, namesAnotherDocument } from '../../fields';
import { UPLOAD } from '../../shownCalls';
import { responseSchemas, type Operation } from '../operations';
import type { Property } from '../schemas';
import { allows } from '../values';
import { listed, MAY_BE_MORE, notDescribed, toFinding, type Findings, type Found } from './found';
import { operationsWith, type Reference } from './reference';
import { propertiesInResponses } from './responses';
import { uploadFileField } from './uploadFileField';

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
	const [place] = places;
	if (place && place.value.split('.').some(namesAnotherDocument)) {
		const others = fieldsForAnId(reference, uploads);
		return others.found.length > 1
			? others
			: {
					found: [],
					note: `The upload's response has 'document_id' only as '${place.value}', which is probably another document. ${LOOK_FOR_ID}`,
				};
	}
	if (place) {
		return listed([{ value: 'document_id', at: place.at }], isWhole ? undefined : MAY_BE_MORE);
	}
	return fieldsForAnId(reference, uploads);
}

const LOOK_FOR_ID =
	'Look at the response of the upload endpoint for the field that holds the ID of the document, or upload one document and see what the response has.';

/** What may identify the document where the response does not name it as the interface does. */
function fieldsForAnId(reference: Reference, uploads: Operation[]): Found {
	const { document, reader } = reference;
	if (uploads.every((upload) => responseSchemas(document, upload).length === 0)) {
		return { found: [], note: `The upload's response is not described. ${LOOK_FOR_ID}` };
	}
	const mayIdentify = ({ name, schema }: Property) =>
		namesAnId(name) && allows(reader, schema, ['string', 'integer', 'number']);
	const { found } = propertiesInResponses(reference, uploads, mayIdentify);
	if (found.length === 0) {
		return { found: [], note: `The upload's response declares no field for an ID. ${LOOK_FOR_ID}` };
	}
	return listed(
		found.map(toFinding),
		"The upload's response has no 'document_id' of its own. By their names, these fields may hold an ID. Choose the one that identifies the document.",
	);
}
