/** Compares the credential's API Details with what the account's own API reference and responses hold. */
import { settled, type Settled } from '../http/concurrency';
import { redact } from '../http/redact';
import type { Client } from './client';
import type { DocumentExtractionCredential } from './credential';
import { detailText, hasDetail } from './details/detail';
import { uploadFileField } from './details/directUpload';
import { parseEndpoint } from './details/endpoint';
import { textIn } from './details/fields';
import { ALL_DETAILS, API_DETAILS, DETAIL_GROUPS, type ApiDetail } from './details/labels';
import type { OpenApiDocument } from './details/openApi/document';
import { findDetails } from './details/openApi/findings';
import type { Found } from './details/openApi/findings/found';
import { containerSamples, entrySamples, fieldSamples } from './details/samples';
import { purposeOf } from './details/uses';
import { problemOf } from './details/wellFormed';
import { readDocumentPage } from './documents';
import { sentences } from './sentences';
import { extractionList } from './extractions';
import { readRows } from './pages';

/** What can be said of one API Detail, in the order in which the editor's table shows it. */
export interface SetupRow {
	apiDetail: string;
	/** As it stands in the credential; null where it is empty. */
	value: string | null;
	/** What the OpenAPI document says; a single entry may be a candidate, as the note says. */
	found: string[];
	note: string;
	/** What the account's own responses hold, for the user to choose from. */
	seen: string[];
	neededFor: string;
	/** Whether the value is right in form; null where it is empty. */
	isWellFormed: boolean | null;
	/** What is wrong with its form; null where nothing is. */
	problem: string | null;
	/** JSON pointers into the document, one for each value found. */
	foundAt: string[];
}

/** What the account's own responses hold that bears on an API Detail. */
interface Seen {
	seen: string[];
	/** What it is, or why there is nothing. */
	note: string;
}

type Samples = { [detail in ApiDetail]?: Seen };

/** What can be said of every API Detail, with an OpenAPI document or without one. Only reads are made. */
export async function checkSetup(
	client: Client,
	document: OpenApiDocument | undefined,
): Promise<SetupRow[]> {
	const { address, workflowId } = client;
	const findings = document && findDetails(document, { baseUrl: address, workflowId });
	const samples = await readSamples(client);
	return ALL_DETAILS.map((detail) => rowFor(client, detail, findings?.[detail], samples[detail]));
}

async function readSamples(client: Client): Promise<Samples> {
	const [results, documents] = await Promise.all([
		settled(readRows(client, extractionList(client, {}), 1)),
		settled(readDocumentPage(client, 1).then((page) => page.documents)),
	]);
	client.stop?.throwIfAborted();
	return { ...fromDocuments(documents), ...fromResults(results) };
}

function fromDocuments(read: Settled<object[]>): Samples {
	const { error } = read;
	const documents = read.error ? [] : read.value;
	const nothing = error
		? `The documents could not be read: ${error.message}.`
		: documents.length === 0
			? 'There is no document yet: upload one and check again to see what it holds.'
			: undefined;
	const statuses = documents.flatMap((document) => textIn(document, 'extraction_status') ?? []);
	return {
		documentIdField: {
			seen: fieldSamples(documents[0]),
			note:
				nothing ??
				"'seen' shows what one document of the list contains: look for the field with its ID in the response to an upload, too.",
		},
		finishedStatuses: {
			seen: [...new Set(statuses)].map((status) => redact(status)),
			note: nothing ?? "'seen' shows the statuses of the first documents in the list.",
		},
	};
}

function fromResults(read: Settled<unknown[]>): Samples {
	const { error } = read;
	const results = read.error ? [] : read.value;
	const [result] = results;
	const nothing = error
		? `The extractions could not be read: ${error.message}.`
		: results.length === 0
			? 'There is no extraction yet: extract one document and check again to see what a result holds.'
			: undefined;
	const entries = {
		seen: entrySamples(result),
		note: nothing ?? "'seen' shows what a real result contains: enter what is before the colon.",
	};
	return {
		valuesField: { ...entries, seen: containerSamples(result) },
		columnNameField: entries,
		columnValueField: entries,
	};
}

function rowFor(
	{ credential }: Client,
	detail: ApiDetail,
	{ found = [], note }: Partial<Found> = {},
	sample?: Seen,
): SetupRow {
	const { label, lookAt } = API_DETAILS[detail];
	const value = detailText(credential, detail);
	const values = found.map((finding) => finding.value);
	const problem = problemOf(credential, detail) ?? null;
	return {
		apiDetail: label,
		value: value === '' ? null : withoutKey(credential, value),
		found: values,
		note: sentences(
			problem === null &&
				disagrees(credential, detail, values) &&
				'The credential and the OpenAPI document differ.',
			note ?? noteOn(values, value, lookAt),
			sample?.note,
			whenEmpty(credential, detail),
		),
		seen: sample?.seen ?? [],
		neededFor: purposeOf(detail),
		isWellFormed: value === '' ? null : problem === null,
		problem,
		foundAt: found.map(({ at }) => at),
	};
}

/** Where the document's findings need no words of their own. */
function noteOn(found: string[], value: string, lookAt: string): string {
	if (found.length === 0) return `In the API reference, look at: ${lookAt}.`;
	if (value === '') return 'Copy this value into the credential.';
	return found.includes(value) ? 'The credential has the same.' : '';
}

/** A command may have been pasted whole. */
function withoutKey({ apiKey }: DocumentExtractionCredential, value: string): string {
	return value.replaceAll(apiKey, '***').replace(/Bearer\s+\S+/gi, 'Bearer ***');
}

/** Whether the credential has something else than the document, where that can be told for sure. */
function disagrees(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	found: string[],
): boolean {
	if (found.length === 0 || !hasDetail(credential, detail)) return false;
	switch (detail) {
		case 'uploadFileField':
			return !found.includes(uploadFileField(credential));
		case 'workflowEndpoint': {
			const { method, path } = parseEndpoint(credential, detail);
			return !found.includes(`${method} ${path}`);
		}
		case 'confirmMethod':
			return !found.includes(detailText(credential, detail));
		default:
			return false;
	}
}

/** What an empty field means, and where it is filled in. */
function whenEmpty(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
): string | undefined {
	if (hasDetail(credential, detail)) return undefined;
	const { group } = API_DETAILS[detail];
	return sentences(
		detail === 'documentIdField' && "Left empty, it is 'document_id'.",
		group &&
			!credential[DETAIL_GROUPS[group].switch] &&
			`To fill it in, switch on '${DETAIL_GROUPS[group].label}' in the credential.`,
	);
}
