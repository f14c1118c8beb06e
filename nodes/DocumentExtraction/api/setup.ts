/** Compares the credential's API Details with what the account's own API reference and responses hold. */
import { UserError } from 'n8n-workflow';

import { settled } from '../http/concurrency';
import { redact } from '../http/redact';
import { hasSuccessStatus, isWebPage, readResponse } from '../http/response';
import type { Client } from './client';
import { detailText } from './details/detail';
import { pathsWithValues, valueIn, type PathWithValue } from './details/fields';
import { ALL_DETAILS, API_DETAILS, type ApiDetail } from './details/labels';
import { readOpenApi, type OpenApiDocument } from './details/openApi/document';
import { findDetails, type Findings } from './details/openApi/findings';
import { usesOf } from './details/uses';
import { assertWellFormed } from './details/wellFormed';
import { readDocumentPage } from './documents';
import { extractionList } from './extractions';
import { readRows } from './pages';
import { callWithoutKey } from './service';

/** What can be said of one API Detail. */
export interface SetupRow {
	apiDetail: string;
	/** As it stands in the credential; null where it is empty. */
	value: string | null;
	/** Whether it is right in form; null where it is empty. */
	isWellFormed: boolean | null;
	problem?: string;
	/** What the OpenAPI document says: alone only where it fixes the value. */
	found: string[];
	/** JSON pointers into the document, one for each value found. */
	foundAt: string[];
	/** What the account's own responses hold, for the user to choose from. */
	seen: string[];
	note: string;
	neededFor: string;
}

/**
 * An OpenAPI document from what the user gave: the document as JSON or parsed, or its address, which
 * is fetched without the key.
 * @returns undefined where nothing was given
 * @throws UserError where it is none, or its address is not on Base URL's origin
 */
export async function openApiFrom(
	client: Client,
	given: unknown,
): Promise<OpenApiDocument | undefined> {
	const text = typeof given === 'string' ? given.trim() : given;
	if (text === '' || text === undefined || text === null) return undefined;
	const isAddress = typeof text === 'string' && /^https?:\/\/\S+$/i.test(text.slice(0, 2_000));
	return readOpenApi(isAddress ? await fetchDocument(client, text) : text);
}

async function fetchDocument(client: Client, address: string): Promise<string> {
	const { origin } = new URL(client.address);
	if (!URL.canParse(address) || new URL(address).origin !== origin) {
		throw new UserError("The address in 'OpenAPI Document' is not on the origin of 'Base URL'", {
			description: `Nothing was sent. The node reads a document from ${origin} only. Open it in a browser and paste its JSON instead.`,
		});
	}
	return await callWithoutKey<string>(client, 'service', {
		method: 'GET',
		url: address,
		read: async (incoming, transfer) => {
			const response = await readResponse(incoming, transfer);
			return hasSuccessStatus(response) && !isWebPage(response)
				? { response, success: { value: response.text } }
				: { response };
		},
	});
}

/** What the account's own responses hold. */
interface Samples {
	/** Fields of one extraction result. */
	result: PathWithValue[];
	/** Fields of one document of the list. */
	document: PathWithValue[];
	statuses: string[];
	/** Why there is nothing, where there is. */
	notes: string[];
}

async function readSamples(client: Client): Promise<Samples> {
	const [results, documents] = await Promise.all([
		settled(readRows(client, extractionList(client, {}), 1)),
		settled(readDocumentPage(client, 1).then((page) => page.documents)),
	]);
	client.stop?.throwIfAborted();
	const notes = [
		...(results.error ? [`The extractions could not be read: ${results.error.message}.`] : []),
		...(documents.error ? [`The documents could not be read: ${documents.error.message}.`] : []),
		...(!results.error && results.value.length === 0
			? ['There is no extraction yet: extract one document and check again to see its fields.']
			: []),
	];
	const listed = documents.error ? [] : documents.value;
	const statuses = listed.map((document) => String(valueIn(document, 'extraction_status')));
	return {
		result: results.error ? [] : pathsWithValues(results.value[0]),
		document: pathsWithValues(listed[0]),
		statuses: [...new Set(statuses)],
		notes,
	};
}

/** What can be said of every API Detail, with an OpenAPI document or without one. Only reads are made. */
export async function checkSetup(
	client: Client,
	document: OpenApiDocument | undefined,
): Promise<SetupRow[]> {
	const { address, workflowId } = client;
	const findings = document && findDetails(document, { baseUrl: address, workflowId });
	const samples = await readSamples(client);
	return ALL_DETAILS.map((detail) => rowFor(client, detail, findings, samples));
}

function rowFor(
	{ credential }: Client,
	detail: ApiDetail,
	findings: Findings | undefined,
	samples: Samples,
): SetupRow {
	const { label, lookAt } = API_DETAILS[detail];
	const { found = [], note } = findings?.[detail] ?? {};
	const { neededFor, optionalFor } = usesOf(detail);
	const value = detailText(credential, detail);
	const problem =
		value === '' ? undefined : problemWith(() => assertWellFormed(credential, detail));
	const seen = seenFor(detail, samples);
	return {
		apiDetail: label,
		value: value === '' ? null : redact(value),
		isWellFormed: value === '' ? null : problem === undefined,
		...(problem === undefined ? {} : { problem }),
		found: found.map((finding) => finding.value),
		foundAt: found.map(({ at }) => at),
		seen,
		note: [
			note ?? (found.length === 0 ? `In the API reference, look at: ${lookAt}.` : ''),
			...(READ_FROM_SAMPLES.has(detail) ? samples.notes : []),
		]
			.filter(Boolean)
			.join(' '),
		neededFor: [...neededFor, ...optionalFor.map((operation) => `${operation} (optional)`)].join(
			'; ',
		),
	};
}

function problemWith(check: () => void): string | undefined {
	try {
		check();
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

const READ_FROM_SAMPLES = new Set<ApiDetail>([
	'documentIdField',
	'finishedStatuses',
	'valuesField',
	'columnNameField',
	'columnValueField',
]);

function seenFor(detail: ApiDetail, samples: Samples): string[] {
	if (detail === 'finishedStatuses') return samples.statuses.map((status) => redact(status));
	if (!READ_FROM_SAMPLES.has(detail)) return [];
	const fields = detail === 'documentIdField' ? samples.document : samples.result;
	return fields.map(({ path, value }) => `${path}: ${redact(value)}`);
}
