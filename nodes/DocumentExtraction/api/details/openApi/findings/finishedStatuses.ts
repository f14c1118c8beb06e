/** Finished Statuses: what the document list declares as values of `extraction_status`. */
import { LIST_DOCUMENTS } from '../../shownCalls';
import { fixedValues } from '../values';
import { listed, notDescribed, type Found } from './found';
import { operationsWith, type Reference } from './reference';
import { propertiesInResponses } from './responses';

export function findFinishedStatuses(reference: Reference): Found {
	const lists = operationsWith(reference, LIST_DOCUMENTS);
	if (lists.length === 0) {
		return { found: [], note: notDescribed('GET /workflows/{…}/documents', 'finished statuses') };
	}
	const { found } = propertiesInResponses(
		reference,
		lists,
		({ name }) => name === 'extraction_status',
	);
	const values = found
		.flatMap(({ schema }) => fixedValues(reference.reader, schema))
		.map(({ value, at }) => ({ value: String(value), at }));
	if (values.length > 0) {
		return {
			...listed(values),
			choose:
				'Choose all that mean that the extraction is over, done or failed, and separate them with commas.',
		};
	}
	return {
		found: [],
		note: `${found.length > 0 ? "The document list has 'extraction_status', but its values are not listed" : "The document list declares no 'extraction_status'"}. Look in its description for the values for done and for failed.`,
	};
}
