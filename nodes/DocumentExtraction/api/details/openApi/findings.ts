/**
 * What an OpenAPI document says about each API Detail. A value is found alone only where the
 * document fixes it; where several fit, all are listed and none is preferred.
 */
import type { ApiDetail } from '../labels';
import { own, type JsonObject, type Located, type OpenApiDocument } from './document';
import {
	bodySchemas,
	hasMorePaths,
	jsonBodySchemas,
	operationsOf,
	parametersOf,
	responseSchemas,
	type Operation,
} from './operations';
import {
	createSchemaReader,
	entrySchemas,
	fixedValues,
	isBinary,
	isUri,
	propertiesOf,
	typesOf,
	waysTo,
	type FoundProperty,
	type Property,
	type SchemaReader,
	type Search,
} from './schemas';
import { bodyTemplates } from './template';

export interface Finding {
	/** In the form in which the API Detail is entered. */
	value: string;
	/** JSON pointer into the document. */
	at: string;
}

export interface Found {
	found: Finding[];
	/** What several findings mean, or what to look for where the document says nothing. */
	note?: string;
}

export type Findings = { [detail in ApiDetail]: Found };

/** More are no help to choose from. */
const MOST_LISTED = 20;
/** Endpoints beyond these are not even written out. */
const MOST_READ = 1000;

/** The operations that the interface shows (§4), by method and path. */
const UPLOAD = 'POST workflows/{}/documents';
const LIST_DOCUMENTS = 'GET workflows/{}/documents';
const LIST_EXTRACTIONS = 'GET workflows/{}/extractions';
const CONFIRM_SHAPE = 'workflows/{}/documents/confirm';
const SHOWN = new Set([
	UPLOAD,
	LIST_DOCUMENTS,
	LIST_EXTRACTIONS,
	'POST workflows/{}/extract',
	'POST workflows/{}/documents/{}/extract',
	'POST workflows/{}/collections/{}/merged-document',
]);

/** The names in a body that the interface fixes (§2). */
const UPLOAD_NAMES = new Set(['workflow_id', 'collection_id', 'collection_name']);
const CONFIRM_NAMES = new Set(['document_id', ...UPLOAD_NAMES]);

interface Reference {
	document: OpenApiDocument;
	reader: SchemaReader;
	operations: Operation[];
}

/**
 * What the document says about every API Detail.
 * @param about.baseUrl the credential's Base URL: paths are told relative to its /api/v1
 */
export function findDetails(
	document: OpenApiDocument,
	about: { baseUrl: string; workflowId: string },
): Findings {
	const operations = operationsOf(document, about);
	const reference: Reference = { document, reader: createSchemaReader(document), operations };
	const describing = withProperty(
		reference,
		operations,
		({ name }) => name === 'is_extracting',
	).operations;
	const signing = uploadUrlCandidates(reference, describing);
	const confirming = operations.filter(
		(operation) => isConfirm(operation) && operation.method !== 'GET',
	);
	const findings: Findings = {
		uploadFileField: uploadFileField(reference),
		workflowEndpoint: workflowEndpoint(reference, describing),
		documentIdField: documentIdField(reference),
		finishedStatuses: finishedStatuses(reference),
		uploadUrlEndpoint: uploadUrlEndpoint(reference, signing.operations),
		uploadUrlBody: uploadUrlBody(reference, signing.operations),
		uploadUrlField: uploadUrlField(reference, signing),
		confirmMethod: confirmMethod(confirming),
		confirmBody: confirmBody(reference, confirming),
		...resultFields(reference),
	};
	if (reference.reader.isExhausted() || hasMorePaths(document)) {
		for (const found of Object.values(findings)) {
			found.note = [
				found.note,
				'The document is too large or too deeply nested to be read completely: it may say more.',
			]
				.filter(Boolean)
				.join(' ');
		}
	}
	return findings;
}

function unique(places: Located[]): Located[] {
	return [...new Map(places.map((place) => [place.value, place])).values()];
}

function call({ method, shape }: Operation): string {
	return `${method} ${shape}`;
}

function isConfirm({ shape }: Operation): boolean {
	return shape === CONFIRM_SHAPE;
}

/** Each value once, where it stands first, and no more than can be chosen from. */
function listed(found: Finding[], note?: string): Found {
	const byValue = new Map<string, Finding>();
	for (const finding of found) if (!byValue.has(finding.value)) byValue.set(finding.value, finding);
	const values = [...byValue.values()];
	const notes = [
		note,
		values.length > MOST_LISTED
			? `Only the first ${MOST_LISTED} of ${values.length} are listed.`
			: undefined,
	].filter((text) => text !== undefined);
	return {
		found: values.slice(0, MOST_LISTED),
		...(notes.length > 0 ? { note: notes.join(' ') } : {}),
	};
}

function named(items: string[]): string {
	return items.slice(0, MOST_LISTED).join(', ') + (items.length > MOST_LISTED ? ', …' : '');
}

/** Some operations, and a search for properties in their successful responses. */
interface Searched {
	operations: Operation[];
	search: Search;
}

/** The operations in whose successful responses such a property stands, however deep. */
function withProperty(
	{ document, reader }: Reference,
	operations: Operation[],
	isHit: (property: Property) => boolean,
): Searched {
	const schemas = new Map<JsonObject, Located[]>();
	for (const operation of operations) {
		const { value } = operation.operation;
		if (!schemas.has(value)) schemas.set(value, responseSchemas(document, operation));
	}
	const search = reader.search([...schemas.values()].flat(), isHit);
	const holding = new Set(
		[...schemas].flatMap(([operation, roots]) =>
			roots.some((root) => search.leading.has(root.value)) ? [operation] : [],
		),
	);
	return {
		operations: operations.filter(({ operation }) => holding.has(operation.value)),
		search,
	};
}

/** The ways to what a search has hit, in the successful responses of some operations. */
function waysInResponses({ document, reader }: Reference, { operations, search }: Searched) {
	const roots = unique(operations.flatMap((operation) => responseSchemas(document, operation)));
	const ways = roots.map((root) => waysTo(reader, root, search));
	return {
		found: ways.flatMap(({ found }) => found),
		isWhole: ways.every(({ isWhole }) => isWhole),
	};
}

const MAY_BE_MORE = 'There may be more: the schema goes deeper than is listed.';

function uploadFileField({ document, reader, operations }: Reference): Found {
	const uploads = operations.filter((operation) => call(operation) === UPLOAD);
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
	if (uploads.length === 0) {
		return { found: [], note: notDescribed('POST /workflows/{…}/documents', 'direct uploads') };
	}
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

function notDescribed(endpoint: string, purpose: string): string {
	return `The document does not describe ${endpoint}. It may belong to another service, or not cover this part. For ${purpose}, look in the account's API reference.`;
}

function workflowEndpoint({ document }: Reference, describing: Operation[]): Found {
	if (describing.length === 0) {
		return {
			found: [],
			note: "No response declares 'is_extracting'. Look for the endpoint that returns the workflow with its columns.",
		};
	}
	return endpoints(
		document,
		describing,
		describing.length > 1
			? "The responses of several endpoints declare 'is_extracting'. Choose the one that returns one workflow with its columns."
			: undefined,
	);
}

/** Endpoints as API Details write them, with `{workflow_id}` for the workflow's parameter. */
function endpoints(document: OpenApiDocument, operations: Operation[], note?: string): Found {
	const written = operations.slice(0, MOST_READ).map((operation) => ({
		value: endpointText(document, operation),
		at: operation.operation.at,
	}));
	const others = written
		.slice(0, MOST_LISTED)
		.flatMap(({ value }) => value.split('/'))
		.filter((segment) => isParameter(segment) && segment !== '{workflow_id}');
	const advice =
		others.length > 0
			? `${named([...new Set(others)])}: if this is the ID of the workflow, write {workflow_id} instead.`
			: undefined;
	return listed(written, [note, advice].filter(Boolean).join(' ') || undefined);
}

function endpointText(document: OpenApiDocument, operation: Operation): string {
	const segments = operation.path.split('/');
	const afterWorkflows = segments.findIndex(
		(segment, index) => isParameter(segment) && isWorkflows(segments[index - 1]),
	);
	const place = afterWorkflows >= 0 ? afterWorkflows : segments.findIndex(isWorkflowParameter);
	if (place >= 0) segments[place] = '{workflow_id}';
	const query = place >= 0 ? '' : workflowQuery(document, operation);
	return `${operation.method} ${segments.join('/')}${query}`;
}

function isWorkflows(segment: string): boolean {
	return /^workflows?$/i.test(segment);
}

function isWorkflowParameter(segment: string): boolean {
	return /^\{(?:workflow|wf)(?:[_-]?u?u?id)?\}$/i.test(segment);
}

function isParameter(segment: string): boolean {
	return segment.startsWith('{') && segment.endsWith('}');
}

/** The workflow's place where it does not stand in the path, but in a query that is required. */
function workflowQuery(document: OpenApiDocument, operation: Operation): string {
	const names = parametersOf(document, operation)
		.filter(({ value }) => own(value, 'in') === 'query' && own(value, 'required') === true)
		.map(({ value }) => own(value, 'name'));
	return names.includes('workflow_id') ? '?workflow_id={workflow_id}' : '';
}

function documentIdField(reference: Reference): Found {
	const uploads = reference.operations.filter((operation) => call(operation) === UPLOAD);
	const lookFor =
		'Look at the response of the upload endpoint for the field that holds the ID of the document, or upload one document and see what the response has.';
	const { found, isWhole } = waysInResponses(
		reference,
		withProperty(reference, uploads, ({ name }) => name === 'document_id'),
	);
	const places = found.map(toFieldFinding);
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
	if (uploads.length === 0) {
		return { found: [], note: notDescribed('POST /workflows/{…}/documents', 'direct uploads') };
	}
	if (uploads.every((upload) => responseSchemas(reference.document, upload).length === 0)) {
		return { found: [], note: `The upload's response is not described. ${lookFor}` };
	}
	const { reader } = reference;
	const mayIdentify = ({ name, schema }: Property) => {
		if (!namesAnId(name)) return false;
		const types = typesOf(reader, schema);
		return types.size === 0 || types.has('string') || types.has('integer') || types.has('number');
	};
	const candidates = waysInResponses(reference, withProperty(reference, uploads, mayIdentify));
	const values = candidates.found.map(toFieldFinding);
	if (values.length === 0) {
		return { found: [], note: `The upload's response declares no field for an ID. ${lookFor}` };
	}
	return listed(
		values,
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

function finishedStatuses(reference: Reference): Found {
	const lists = reference.operations.filter((operation) => call(operation) === LIST_DOCUMENTS);
	if (lists.length === 0) {
		return { found: [], note: notDescribed('GET /workflows/{…}/documents', 'finished statuses') };
	}
	const { found } = waysInResponses(
		reference,
		withProperty(reference, lists, ({ name }) => name === 'extraction_status'),
	);
	const values = found
		.flatMap(({ schema }) => fixedValues(reference.reader, schema))
		.map(({ value, at }) => ({ value: String(value), at }));
	if (values.length > 0) {
		return listed(
			values,
			"These are values of a document's 'extraction_status'. Enter those that mean that its extraction is over, done or failed, separated by commas.",
		);
	}
	return {
		found: [],
		note: `${found.length > 0 ? "The document list has 'extraction_status', but its values are not listed" : "The document list declares no 'extraction_status'"}. Look in its description for the values for done and for failed.`,
	};
}

/**
 * The interface shows neither method nor path of this endpoint (§4.3): whatever returns an address
 * may be it, once the document is known to be this service's.
 */
function uploadUrlCandidates(reference: Reference, describing: Operation[]): Searched {
	const { operations } = reference;
	const isShown = (operation: Operation) => SHOWN.has(call(operation)) || isConfirm(operation);
	const described = new Set(describing);
	const isThisService = operations.some(isShown);
	const open = operations.filter(
		(operation) => isThisService && !isShown(operation) && !described.has(operation),
	);
	return withProperty(reference, open, (property) => isAddress(reference.reader, property));
}

function isAddress(reader: SchemaReader, { name, schema }: Property): boolean {
	const types = typesOf(reader, schema);
	if (types.size > 0 && !types.has('string') && !types.has('array')) return false;
	const entries = entrySchemas(reader, schema);
	const isText = (inner: Located) => {
		const types = typesOf(reader, inner);
		return types.size === 0 || types.has('string');
	};
	if ([schema, ...entries].some((inner) => isText(inner) && isUri(reader, inner))) return true;
	if (!/url|href|(?:^|[^a-z])uris?(?:[^a-z]|$)|Uris?(?:[^a-z]|$)/i.test(name)) return false;
	return entries.length > 0 ? entries.some(isText) : isText(schema);
}

function uploadUrlEndpoint({ document }: Reference, candidates: Operation[]): Found {
	if (candidates.length === 0) return { found: [], note: NO_CANDIDATE };
	return endpoints(
		document,
		candidates,
		`Accounts differ in this endpoint. ${candidates.length > 1 ? 'These endpoints return' : 'This endpoint returns'} a URL. Choose one only if its description says that this is a signed URL to upload a file to.`,
	);
}

const NO_CANDIDATE =
	'No endpoint declares a URL in its response, except those that have another purpose. For signed uploads, look for the endpoint that returns a URL to upload a file to.';

function uploadUrlBody(reference: Reference, candidates: Operation[]): Found {
	if (candidates.length === 0) return { found: [], note: NO_CANDIDATE };
	const { found, note } = bodies(reference, candidates, UPLOAD_NAMES);
	return listed(
		found,
		found.length > 0
			? `${note} Placeholders: {file_name}, {content_type} and {file_size} for the file, {workflow_id}, {collection_id} and {collection_name}.`
			: note,
	);
}

/** The JSON bodies of some operations as templates. */
function bodies(
	{ document, reader }: Reference,
	operations: Operation[],
	placeholders: ReadonlySet<string>,
): { found: Finding[]; note: string } {
	const bodies = operations.slice(0, MOST_LISTED).flatMap((operation) =>
		jsonBodySchemas(document, operation).flatMap((schema) =>
			bodyTemplates(reader, schema, placeholders).map((template) => ({
				...template,
				endpoint: endpointText(document, operation),
				at: schema.at,
			})),
		),
	);
	const found = bodies.map(({ json, at }) => ({ value: json, at }));
	if (found.length === 0) return { found, note: 'No JSON body is declared.' };
	const notes = bodies.map(
		({ endpoint, required, optional }) =>
			`${endpoint}: required: ${named(required) || 'nothing'}; optional: ${named(optional) || 'nothing'}.`,
	);
	const advice = bodies.some(({ standIns }) => standIns > 0)
		? 'Replace each text in angle brackets, including the brackets, with a placeholder or a value. You can leave out what is optional.'
		: '';
	return {
		found,
		note: [advice, ...[...new Set(notes)].slice(0, MOST_LISTED)].filter(Boolean).join(' '),
	};
}

function uploadUrlField(reference: Reference, { operations, search }: Searched): Found {
	if (operations.length === 0) return { found: [], note: NO_CANDIDATE };
	const { reader } = reference;
	const fields = operations.slice(0, MOST_LISTED).map((operation) => {
		const { found, isWhole } = waysInResponses(reference, { operations: [operation], search });
		return {
			endpoint: endpointText(reference.document, operation),
			isWhole,
			found: found.map(({ path, schema }) => ({
				value: typesOf(reader, schema).has('array') ? `${path}[0]` : path,
				at: schema.at,
			})),
		};
	});
	const notes = fields.map(
		({ endpoint, found }) => `${endpoint}: ${named(found.map(({ value }) => value)) || 'none'}.`,
	);
	const isWhole = fields.every((field) => field.isWhole);
	return listed(
		fields.flatMap(({ found }) => found),
		`Fields for a URL, by endpoint. ${notes.join(' ')}${isWhole ? '' : ` ${MAY_BE_MORE}`}`,
	);
}

function notConfirmed(): Found {
	return {
		found: [],
		note: notDescribed('a path that ends with /documents/confirm', 'signed uploads'),
	};
}

function confirmMethod(confirming: Operation[]): Found {
	if (confirming.length === 0) return notConfirmed();
	const found = confirming.map(({ method, operation }) => ({ value: method, at: operation.at }));
	const isFixed = new Set(found.map(({ value }) => value)).size === 1;
	return listed(
		found,
		isFixed ? undefined : 'Several methods are described. Choose the one that confirms uploads.',
	);
}

function confirmBody(reference: Reference, confirming: Operation[]): Found {
	if (confirming.length === 0) return notConfirmed();
	const { found, note } = bodies(reference, confirming, CONFIRM_NAMES);
	const lacksId = found.some(({ value }) => !value.includes('{document_id}'));
	return listed(
		found,
		lacksId ? `${note} Write {document_id} where the ID of the document goes.` : note,
	);
}

/** Where results hold their values: candidates only, for the interface does not show a result. */
function resultFields(
	reference: Reference,
): Pick<Findings, 'valuesField' | 'columnNameField' | 'columnValueField'> {
	const { document, reader, operations } = reference;
	const envelopes = operations
		.filter((operation) => call(operation) === LIST_EXTRACTIONS)
		.flatMap((list) => responseSchemas(document, list));
	const results = unique(
		unique(envelopes)
			.flatMap((envelope) => propertiesOf(reader, envelope))
			.filter(({ name }) => name === 'items')
			.flatMap(({ schema }) => entrySchemas(reader, schema)),
	);
	const containers = containersIn(reader, results);
	const entries = fieldsWithin(reader, [
		...containers.flatMap(({ schema }) => entrySchemas(reader, schema)),
		...results,
	]);
	const names = entries.filter(({ schema }) => {
		const types = typesOf(reader, schema);
		return types.size === 0 || types.has('string');
	});
	const nothing =
		"The document does not say what an entry of the extraction list's items holds. Look at a real one: read one with Extraction › Get Many.";
	return {
		valuesField: listed(
			containers.map(toFieldFinding),
			containers.length > 0
				? 'These fields of a result hold an object or a list. Choose the one that holds the extracted values, by column or one entry for each column.'
				: nothing,
		),
		columnNameField: listed(
			names.map(toFieldFinding),
			names.length > 0
				? 'Needed only where there is one entry for each column. These fields of such an entry may hold a name: choose the one that names the column.'
				: nothing,
		),
		columnValueField: listed(
			entries.map(toFieldFinding),
			entries.length > 0
				? 'Needed only where there is one entry for each column. These are the fields of such an entry: choose the one that holds the value itself.'
				: nothing,
		),
	};
}

function containersIn(reader: SchemaReader, results: Located[]): FoundProperty[] {
	const search = reader.search(results, ({ schema }) => {
		const types = typesOf(reader, schema);
		return types.has('object') || types.has('array');
	});
	return results.flatMap((result) => waysTo(reader, result, search).found);
}

/** The fields of some schemas, nested ones too, as long as no list lies between. */
function fieldsWithin(reader: SchemaReader, schemas: Located[]): FoundProperty[] {
	const roots = unique(schemas);
	const search = reader.search(roots, () => true);
	return roots
		.flatMap((root) => waysTo(reader, root, search).found)
		.filter(({ path }) => !path.includes('['));
}

function toFieldFinding({ path, schema }: FoundProperty): Finding {
	return { value: path, at: schema.at };
}
