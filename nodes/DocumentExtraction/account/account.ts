/** The credential, understood once: what each use of API Details is made of, lacks, or has wrong. */
import { UserError } from 'n8n-workflow';

import { withoutSecrets } from '../http/redact';
import {
	ALL_DETAILS,
	API_DETAILS,
	detailError,
	emptyError,
	SIGNED_DETAILS,
	type ApiDetail,
	type DetailValue,
} from './apiDetails';
import {
	bearerKey,
	checkedWorkflowId,
	serviceAddress,
	WORKFLOW_ID_LABEL,
	type DocumentExtractionCredential,
} from './credential';
import { DOCUMENT_ID } from './fields';
import { readLines } from './lines';
import { Endpoint, MalformedDetailError } from './parse';

/** A use of API Details: what it is made of; or the empty ones that it lacks; or why one cannot be right. */
export type Use<T> = { ready: T } | { lacking: ApiDetail[] } | { wrong: UserError };

/**
 * What a use is made of.
 * @throws UserError naming the line of the credential, and where to look for its value
 */
export function ready<T>(use: Use<T>): T {
	if ('ready' in use) return use.ready;
	throw 'wrong' in use ? use.wrong : emptyError(use.lacking[0]);
}

/** What a use is made of; undefined where it is not ready, for what can do without. */
export function ifReady<T>(use: Use<T>): T | undefined {
	return 'ready' in use ? use.ready : undefined;
}

/** The same use; but with nothing filled in, it is ready, with `undefined`. */
export function optional<T>(use: Use<T>): Use<T | undefined> {
	return 'lacking' in use ? { ready: undefined } : use;
}

/** One use that needs all of these. */
function together<T extends object>(parts: { [name in keyof T]: Use<T[name]> }): Use<T> {
	const uses: Array<Use<unknown>> = Object.values(parts);
	const lacking = uses.flatMap((use) => ('lacking' in use ? use.lacking : []));
	if (lacking.length > 0) return { lacking };
	const wrong = uses.find((use) => 'wrong' in use);
	if (wrong) return wrong;
	const values = Object.entries<Use<unknown>>(parts).map(([name, use]) => [name, ifReady(use)]);
	return { ready: Object.fromEntries(values) as T };
}

/**
 * What is made from the line of an API Detail.
 * @param shown what stands in the line, where an error shows it
 * @throws UserError naming the line, where it is malformed or does not fit
 */
export function fromLine<T>(detail: ApiDetail, make: () => T, shown?: string): T {
	try {
		return make();
	} catch (error) {
		const what = error instanceof MalformedDetailError ? error.message : 'cannot be used';
		throw detailError(detail, what, { entered: shown });
	}
}

/** What tells that an extraction is over: documents' statuses, `is_extracting`, or the results alone. */
export type Sign = 'statuses' | 'workflow' | 'results';

type Details = { [detail in ApiDetail]: Use<DetailValue<detail>> };

/** A credential whose key and address are right, with all that its API Details can be used for. */
export type Account = ReturnType<typeof accountOf>;

/** @throws UserError for a key or an address that cannot be used, and for lines of no API Detail */
export function accountOf(credential: DocumentExtractionCredential) {
	const address = serviceAddress(credential);
	const apiKey = bearerKey(credential);
	const context = { address, workflowId: String(credential.workflowId ?? '').trim() };
	const labels = ALL_DETAILS.map((detail) => API_DETAILS[detail].label);
	const lines = readLines(String(credential.apiDetails ?? ''), labels, apiKey);
	const useOf = (detail: ApiDetail): Use<unknown> => {
		const { label, parse, placeholders = [], default: otherwise } = API_DETAILS[detail];
		const text = lines.get(label) ?? otherwise;
		if (text === undefined) return { lacking: [detail] };
		try {
			const shown = withoutSecrets(text, apiKey);
			return { ready: fromLine(detail, () => parse(text, { ...context, placeholders }), shown) };
		} catch (error) {
			// Whatever is wrong with an entry, it stops only what needs it.
			return { wrong: error as UserError };
		}
	};
	const details = Object.fromEntries(
		ALL_DETAILS.map((detail) => [detail, useOf(detail)]),
	) as Details;
	const entered: { [detail in ApiDetail]?: string } = Object.fromEntries(
		ALL_DETAILS.flatMap((detail) => {
			const text = lines.get(API_DETAILS[detail].label);
			return text === undefined
				? []
				: [[detail, portable(text, ifReady<unknown>(details[detail]))]];
		}),
	);
	const { documentIdField } = details;
	const finished = ifReady(details.finishedStatuses) ?? [];
	const failed = ifReady(details.failedStatuses) ?? [];
	// Those that mean failed alone do not show which extractions succeeded.
	const finishedStatuses: ReadonlySet<string> = new Set(
		finished.length > 0 ? [...finished, ...failed] : [],
	);
	return {
		/** As the user filled it in. */
		credential,
		apiKey,
		/** Base URL without a trailing `/` or `/api/v1`. */
		address,
		/** What has been entered for each API Detail, as each environment takes it. */
		entered,
		/** Each API Detail alone. */
		details,
		hasSignedLines: SIGNED_DETAILS.some((detail) => entered[detail] !== undefined),
		/** The field that names a document in lists: where the entry is wrong, its default. */
		listIdField: ifReady(documentIdField) ?? DOCUMENT_ID,
		directUpload: together({ fileField: details.uploadFileField, documentIdField }),
		uploadUrl: together({
			endpoint: details.uploadUrlEndpoint,
			urlField: details.uploadUrlField,
			headersField: optional(details.uploadHeadersField),
			documentIdField,
			body: optional(details.uploadUrlBody),
		}),
		confirmation: together({
			method: details.confirmMethod,
			body: details.confirmBody,
			documentIdField,
		}),
		/** The values of `extraction_status` that mean finished; empty where the user has named none. */
		finishedStatuses,
		/** Those of them that mean failed. */
		failedStatuses: new Set(failed) as ReadonlySet<string>,
		waiting: bestSign(finishedStatuses, details.workflowEndpoint),
	};
}

/**
 * Checks all of a credential, for its test.
 * @throws UserError whose message says all: n8n shows no more of it
 */
export function assertUsable(credential: DocumentExtractionCredential) {
	checkedWorkflowId(credential.workflowId, `The credential's '${WORKFLOW_ID_LABEL}'`);
	for (const use of Object.values<Use<unknown>>(accountOf(credential).details)) {
		if ('wrong' in use) throw new UserError(`${use.wrong.message}. ${use.wrong.description}`);
	}
}

/** An entry in one line, an endpoint without an address or an ID that belongs to the environment. */
function portable(text: string, understood: unknown): string {
	if (typeof understood === 'string') return understood;
	if (understood instanceof Endpoint) return `${understood.method} ${understood.path}`;
	const lines = text.split('\n').map((line) => line.trim());
	return lines.join(' ');
}

function bestSign(finishedStatuses: ReadonlySet<string>, workflow: Use<Endpoint>): Use<Sign> {
	if (finishedStatuses.size > 0) return { ready: 'statuses' };
	if ('wrong' in workflow) return workflow;
	return { ready: 'ready' in workflow ? 'workflow' : 'results' };
}
