/** Upload URL Endpoint, Upload URL Body and Upload URL Field, of the operations that may be meant. */
import type { Operation } from '../operations';
import { allows, typesOf } from '../values';
import { bodies, UPLOAD_NAMES } from './bodies';
import { endpoints, endpointText } from './endpoints';
import {
	listed,
	MAY_BE_MORE,
	MOST_LISTED,
	named,
	toFinding,
	type Findings,
	type Found,
} from './found';
import type { Reference } from './reference';
import { propertiesInResponses, waysInResponses, type Searched } from './responses';

export function findUploadUrl(
	reference: Reference,
	candidates: Searched,
): Pick<Findings, 'uploadUrlEndpoint' | 'uploadUrlBody' | 'uploadUrlField' | 'uploadHeadersField'> {
	const { operations } = candidates;
	if (operations.length === 0) {
		const note =
			'No endpoint declares a URL in its response, except those that have another purpose. For signed uploads, look for the endpoint that returns a URL to upload a file to.';
		return {
			uploadUrlEndpoint: { found: [], note },
			uploadUrlBody: { found: [], note },
			uploadUrlField: { found: [], note },
			uploadHeadersField: { found: [], note },
		};
	}
	return {
		uploadUrlEndpoint: {
			...endpoints(reference.document, operations),
			check: 'Check in its description that it returns a signed URL to upload a file to.',
			choose:
				'Choose the one whose description says that it returns a signed URL to upload a file to.',
		},
		uploadUrlBody: uploadUrlBody(reference, operations),
		uploadUrlField: uploadUrlField(reference, candidates),
		uploadHeadersField: uploadHeadersField(reference, operations),
	};
}

function uploadUrlBody(reference: Reference, operations: Operation[]): Found {
	const { found, notes } = bodies(reference, operations, UPLOAD_NAMES);
	return listed(
		found,
		...notes,
		found.length > 0
			? 'Placeholders: {file_name}, {content_type} and {file_size} for the file, {workflow_id}, {collection_id} and {collection_name}.'
			: undefined,
	);
}

function uploadUrlField(reference: Reference, { operations, search }: Searched): Found {
	const { document, reader } = reference;
	const fields = operations.slice(0, MOST_LISTED).map((operation) => {
		const { found, isWhole } = waysInResponses(reference, { operations: [operation], search });
		return {
			endpoint: endpointText(document, operation),
			isWhole,
			found: found.map(({ path, schema }) => ({
				value: typesOf(reader, schema).has('array') ? `${path}[0]` : path,
				at: schema.at,
			})),
		};
	});
	return listed(
		fields.flatMap(({ found }) => found),
		'Fields for a URL, by endpoint.',
		...fields.map(
			({ endpoint, found }) => `${endpoint}: ${named(found.map(({ value }) => value)) || 'none'}.`,
		),
		fields.every(({ isWhole }) => isWhole) ? undefined : MAY_BE_MORE,
	);
}

function uploadHeadersField(reference: Reference, operations: Operation[]): Found {
	const { reader } = reference;
	const { found } = propertiesInResponses(
		reference,
		operations,
		({ name, schema }) => /headers?$/i.test(name) && allows(reader, schema, ['object']),
	);
	if (found.length === 0) return { found: [] };
	return {
		...listed(found.map(toFinding)),
		check: 'Check in its description that it holds the headers that the upload has to carry.',
	};
}
