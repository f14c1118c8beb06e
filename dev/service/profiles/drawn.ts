/**
 * Accounts drawn from a seed: what the interface leaves open is filled in otherwise in each, so that what is
 * right in some of them by chance is not taken for right.
 */
import * as fc from 'fast-check';
import type { StoredDocument } from '../model.ts';
import { pageEnvelope } from '../pages.ts';
import { profiles } from './index.ts';
import { shareOf, type Profile } from './profile.ts';
import { text } from './schemas.ts';
import { awkwardIds, azureHeaders, linkedMerge, otherEndpoints, terse } from './variants.ts';

/** Names of columns, for as many of a workflow's as there are. */
const COLUMN_NAMES = [
	undefined,
	['Rechnungsnummer', 'Straße', 'Datum', 'Summe (EUR)', 'USt-IdNr.', 'Ihr Zeichen', 'Positionen'],
	['name', 'value', 'date', 'key', 'label', 'id', 'confidence'],
	['Ref. no', 'Status', 'Type', 'Description'],
	['Revenue 2022', 'Revenue 2023', 'Revenue 2024', 'EBITDA'],
	['Total', 'fileName', 'documentId', 'extraction'],
	['total', 'Total'],
];

/** How a service might wrap the one document that it speaks of, and the path to it. */
const WRAPPERS: Array<{ path: string; wrap: (document: object) => unknown }> = [
	{ path: '', wrap: (document) => document },
	{ path: 'data.', wrap: (document) => ({ ok: true, data: document }) },
	{ path: '[0].', wrap: (document) => [document] },
	{ path: 'documents[0].', wrap: (document) => ({ documents: [document], skipped: [] }) },
];

const longId = (digits: string) => String(2n ** 53n + BigInt(`0x${digits.slice(0, 12)}`));

const CONFIDENCES = {
	share: { path: 'confidence', of: (share: number): unknown => share },
	percentage: { path: 'confidence', of: (share: number) => Math.round(share * 100) },
	object: { path: 'confidence.value', of: (value: number) => ({ value, level: 'high' }) },
};

const EMPTY = { null: null, blank: '', omitted: undefined };

const traits = fc.record({
	/** Whose scopes and collections the account has, and all else that is not drawn. */
	base: fc.constantFrom(...profiles),
	hasAwkwardIds: fc.boolean(),
	isTerse: fc.boolean(),
	hasOtherEndpoints: fc.boolean(),
	hasAzureStorage: fc.boolean(),
	linksMerged: fc.boolean(),
	columnNames: fc.constantFrom(...COLUMN_NAMES),
	shape: fc.constantFrom('object', 'cells', 'cells', 'singles', 'boxed'),
	container: fc.constantFrom('values', 'data', 'fields', 'answers', 'result.values', 'a.b.columns'),
	nameField: fc.constantFrom('name', 'column_name', 'label', 'column.name', 'column.title', 'key'),
	valueField: fc.constantFrom('value', 'value', 'answer', 'text', 'content.value'),
	empty: fc.constantFrom<keyof typeof EMPTY>('null', 'blank', 'omitted'),
	besideValues: fc.subarray(['column_id', 'prompt', 'confidence', 'page']),
	confidence: fc.constantFrom<keyof typeof CONFIDENCES>('share', 'percentage', 'object'),
	besideResults: fc.subarray(['id', 'meta', 'usage', 'review', 'file_urls', 'user']),
	keepsHistory: fc.nat(3).map((n) => n === 0),
	fileField: fc.constantFrom('file', 'files', 'document', 'upload', 'attachments[]', 'pdf'),
	idField: fc.constantFrom('document_id', 'document_id', 'id', 'documentId', 'uuid'),
	isIdPath: fc.boolean(),
	wrapper: fc.constantFrom(...WRAPPERS),
	resultIdField: fc.constantFrom('document_id', 'document.document_id', undefined),
	listIdField: fc.constantFrom('document_id', 'id', undefined),
	/** Some services count their documents, beyond what JavaScript can count. */
	hasLongIds: fc.nat(3).map((n) => n === 0),
	listShape: fc.constantFrom('list', 'page', 'documents'),
	slash: fc.constantFrom('', '', '/'),
	statuses: fc.constantFrom(
		{ waiting: 'queued', running: 'extracting', finished: 'extracted', failed: 'failed' },
		{ waiting: 1, running: 2, finished: 3, failed: 4 },
		{ waiting: 'DONE', running: 'BUSY', finished: 'READY', failed: 'REJECTED' },
	),
});

type Traits = typeof traits extends fc.Arbitrary<infer T> ? T : never;

/** Puts a value at a path with dots. */
function put(target: Record<string, unknown>, path: string, value: unknown) {
	const [name, ...rest] = path.split('.');
	if (rest.length === 0) target[name] = value;
	else put((target[name] ??= {}) as typeof target, rest.join('.'), value);
	return target;
}

const chosen = (all: Record<string, unknown>, names: string[]): Record<string, unknown> =>
	Object.fromEntries(names.map((name) => [name, all[name]]));

/** The results of a document, as the account words them. */
function resultsOf(own: Traits, document: StoredDocument, fileUrl: string) {
	// A path leads only where it says; a result is told by another name then.
	const idName = own.isIdPath || own.idField === 'id' ? 'document_id' : own.idField;
	const beside = {
		meta: { model: 'm-2', pages: 3 },
		usage: { duration_ms: 1200, tokens: 900 },
		review: { state: 'open', reviewer: null },
		file_urls: [fileUrl],
		user: { id: 'u-77', name: 'Ada' },
	};
	const about = (part: number) => ({
		...(own.besideResults.includes('id') && { id: `r-${document.objectKey.slice(0, 8)}-${part}` }),
		...put({}, own.resultIdField ?? idName, document.id),
		created_at: document.createdAt.toISOString(),
		...chosen(
			beside,
			own.besideResults.filter((name) => name !== 'id'),
		),
	});
	const columns = document.workflow.columns.filter(({ id }) => document.values.has(id));
	const valueOf = ({ id }: (typeof columns)[number]) => document.values.get(id) ?? EMPTY[own.empty];
	const besideValue = ({ id: column_id, prompt }: (typeof columns)[number]) => {
		const position = document.workflow.columns.findIndex(({ id }) => id === column_id);
		const confidence = CONFIDENCES[own.confidence].of(shareOf(position));
		return chosen({ column_id, prompt, confidence, page: 1 }, own.besideValues);
	};
	const entries = columns.map((column) => {
		const entry = put(besideValue(column), own.nameField, column.name);
		const value = valueOf(column);
		return value === undefined ? entry : put(entry, own.valueField, value);
	});
	if (own.shape === 'singles') {
		return entries.map((entry, index) => ({
			column: columns[index].id,
			body: { ...about(index), ...entry },
		}));
	}
	const there = columns.flatMap((column) => {
		const value = valueOf(column);
		if (value === undefined) return [];
		const box = { ...besideValue(column), value };
		return [[column.name, own.shape === 'boxed' ? box : value] as const];
	});
	const held = own.shape === 'cells' ? entries : Object.fromEntries(there);
	return [{ body: put(about(0), own.container, held) }];
}

/** The line 'Rows' that says where the values are. */
function rowsOf({ shape, container, nameField, valueField }: Traits): string {
	const named = `: ${nameField} = ${valueField}`;
	return {
		object: container,
		boxed: `${container} = value`,
		cells: container + named,
		singles: `.${named}`,
	}[shape];
}

function profileOf(own: Traits): Profile {
	const { base, wrapper, statuses, idField } = own;
	const details = { ...base.apiDetails, ...(own.hasOtherEndpoints && otherEndpoints) };
	const headers = own.hasAzureStorage ? azureHeaders : {};
	const { ids, idSchemas } = own.hasAwkwardIds ? awkwardIds(base) : base;
	return {
		...base,
		...(own.isTerse && terse),
		...(own.linksMerged && { merge: linkedMerge }),
		summary: JSON.stringify({ ...own, base: base.name }),
		columnNames: own.columnNames,
		keepsHistory: own.keepsHistory,
		confidencePath:
			own.shape !== 'object' && own.besideValues.includes('confidence')
				? CONFIDENCES[own.confidence].path
				: undefined,
		ids: { ...ids, ...(own.hasLongIds && idSchemas.document === text && { document: longId }) },
		idSchemas,
		apiDetails: {
			...details,
			workflowEndpoint: details.workflowEndpoint + own.slash,
			uploadUrlEndpoint: details.uploadUrlEndpoint + own.slash,
			uploadFileField: own.fileField,
			uploadUrlField: `${wrapper.path}upload_url`,
			uploadHeadersField: own.hasAzureStorage ? `${wrapper.path}put_headers` : '',
			documentIdField: own.isIdPath ? wrapper.path + idField : idField,
			finishedStatuses: `${statuses.finished}, ${statuses.failed}`,
			failedStatuses: String(statuses.failed),
			fileUrlField: own.besideResults.includes('file_urls') ? 'file_urls' : '',
			rows: rowsOf(own),
		},
		uploaded: (document) => ({
			status: 201,
			body: wrapper.wrap({
				[idField]: document.id,
				file_name: document.fileName,
				user: { id: 'u-77', name: 'Ada' },
			}),
		}),
		uploadUrl: {
			headers,
			answer: ({ document, url }) => ({
				status: 200,
				body: wrapper.wrap({
					[idField]: document.id,
					upload_url: url,
					...(own.hasAzureStorage && { put_headers: headers }),
				}),
			}),
		},
		listDocuments: (documents, query) => {
			const describe = (document: StoredDocument) => ({
				[own.listIdField ?? idField]: document.id,
				name: document.fileName,
				extraction_status: statuses[document.state],
				uploaded_by: 'u-77',
			});
			if (own.listShape === 'page') return pageEnvelope(documents, query, describe);
			const list = documents.map(describe);
			return own.listShape === 'list' ? list : { documents: list };
		},
		results: (document, fileUrl) => resultsOf(own, document, fileUrl),
	};
}

/** So many profiles, the same for the same seed. Each goes by the name of the one that it is based on. */
export const drawnProfiles = (seed: number, count: number): Profile[] =>
	fc.sample(traits.map(profileOf), { seed, numRuns: count });
