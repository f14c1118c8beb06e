/**
 * What an OpenAPI document says about each API Detail. There is a single value only where the
 * document leaves no choice; where several fit, all are listed and none is preferred.
 */
import { namesAnId, namesAnotherDocument, wordsIn, type JsonObject } from '../fields';
import {
	CONFIRM_SHAPE,
	LIST_DOCUMENTS,
	LIST_EXTRACTIONS,
	SHOWN_CALLS,
	UPLOAD,
} from '../shownCalls';
import { bodyTemplates, COMPLETE, isIncomplete } from './bodies';
import { allows, otherParameters, pointersIn, Reference, responsesOf } from './reference';
import type { Candidate, Field, OpenApiDocument, Operation, Property, Shape } from './reference';

export interface Found {
	/** Values as the API Detail is entered, each with a JSON pointer into the document. */
	found: Array<{ value: string; at: string }>;
	/** What several findings mean, or what to look for where the document says nothing. */
	note?: string;
	/** One sentence: what the user has to do with a single value before it is right. */
	check?: string;
	/** One sentence: how to choose, unless just one of them is right. */
	choose?: string;
}

/** What a finder has seen: values may occur more than once, and what need not be said is false. */
interface Seen extends Pick<Found, 'check' | 'choose'> {
	candidates: Candidate[];
	notes: Note[];
}

type Note = string | false;

/** Finds what a document says about one API Detail. */
export type Finder = (api: DescribedApi) => Seen;

/** A document, and the operations in it that API Details are about. */
interface DescribedApi {
	reference: Reference;
	/** Those that upload a document (§4.2). */
	uploads: Operation[];
	/** Those that return `is_extracting`, as the workflow's does (§4.1). */
	ofWorkflow: Operation[];
	/** Those that may return signed upload URLs (§4.3). */
	signing: Operation[];
	/** Those that may confirm uploads (§4.4). */
	confirming: Operation[];
}

/** More do not help to choose. */
const MOST_LISTED = 20;

/** The names in a body that the interface fixes (§2). */
const UPLOAD_NAMES = new Set(['workflow_id', 'collection_id', 'collection_name']);
const CONFIRM_NAMES = new Set(['document_id', ...UPLOAD_NAMES]);

/**
 * What the document says about every API Detail. All share one limit of steps: where a document is
 * too large, what comes last is missing.
 * @param account of the credential; endpoints are given relative to its Base URL and /api/v1
 */
export function findDetails<Detail extends string>(
	details: Record<Detail, { find: Finder }>,
	document: OpenApiDocument,
	account: { baseUrl: string; workflowId: string },
): Record<Detail, Found> {
	const reference = new Reference(document, account);
	const { operations } = reference;
	const ofWorkflow = reference.operationsReturning(
		operations,
		({ name }) => name === 'is_extracting',
	);
	const api: DescribedApi = {
		reference,
		uploads: operationsWith(reference, UPLOAD),
		ofWorkflow,
		signing: mayReturnUploadUrl(reference, ofWorkflow),
		confirming: operations.filter((one) => isConfirm(one) && one.method !== 'GET'),
	};
	const seen = Object.entries<{ find: Finder }>(details).map(
		([detail, { find }]) => [detail, find(api)] as const,
	);
	const limit: Note =
		reference.isCutShort &&
		'The document is too large or too deeply nested to be read completely: it may say more.';
	const pointers = pointersIn(document.root);
	return Object.fromEntries(
		seen.map(([detail, one]) => [detail, foundIn(one, pointers, limit)]),
	) as Record<Detail, Found>;
}

/** Each value once, where it stands first, and no more than can be chosen from. */
function foundIn(
	{ candidates, notes, ...advice }: Seen,
	pointers: Map<unknown, string>,
	limit: Note,
): Found {
	const places = new Map<string, string>();
	for (const { value, part, below = '' } of candidates) {
		if (!places.has(value)) places.set(value, `${pointers.get(part) ?? ''}${below}`);
	}
	const isCut =
		places.size > MOST_LISTED && `Only the first ${MOST_LISTED} of ${places.size} are listed.`;
	const note = [...notes, isCut, limit].filter(Boolean).join(' ');
	const found = [...places].slice(0, MOST_LISTED).map(([value, at]) => ({ value, at }));
	return { found, ...(note && { note }), ...advice };
}

function operationsWith({ operations }: Reference, call: string): Operation[] {
	return operations.filter((operation) => operation.call === call);
}

/** Whether the interface shows what the operation does (§4). */
function isShown(operation: Operation): boolean {
	return SHOWN_CALLS.has(operation.call) || isConfirm(operation);
}

/** The interface shows the path that confirms uploads, but not its method. */
function isConfirm({ method, call }: Operation): boolean {
	return call === `${method} ${CONFIRM_SHAPE}`;
}

function listed(candidates: Candidate[], ...notes: Note[]): Seen {
	return { candidates, notes };
}

function nothing(note: string): Seen {
	return listed([], note);
}

function notDescribed(endpoint: string, purpose: string): Seen {
	return nothing(
		`The document does not describe ${endpoint}. It may belong to another service, or not cover this part. For ${purpose}, look in the account's API reference.`,
	);
}

/** Names within a note. */
function named(items: string[]): string {
	return items.slice(0, MOST_LISTED).join(', ') + (items.length > MOST_LISTED ? ', …' : '');
}

export function uploadFileField({ reference, uploads }: DescribedApi): Seen {
	if (uploads.length === 0) return UPLOAD_NOT_DESCRIBED;
	const forms = uploads.flatMap((upload) => upload.forms);
	const fields = forms.flatMap((form) => reference.shapeOf(form).properties);
	const files = fields.filter(takesFile);
	const [file] = files;
	if (!file) {
		return nothing(
			'The upload endpoint does not say which of its form fields carries the file. Look in its description or example for the field that takes the file.',
		);
	}
	const isSeveral = files.some(({ name }) => name !== file.name);
	const others = fields.filter(
		(field) => !isSeveral && !files.includes(field) && mayTakeFile(field, file),
	);
	return listed(
		[...files, ...others].map(({ name, part }) => ({ value: name, part })),
		isSeveral && 'Several form fields take a file. Choose the one for the document itself.',
		others.length > 0 &&
			`Only '${file.name}' is declared as a file, but the document itself may go elsewhere. Choose the field for it by the description or example of the upload endpoint.`,
		!isSeveral &&
			others.length === 0 &&
			isAccessory(file.name) &&
			`By its name, '${file.name}' may not be the document itself. Check in the description or example of the upload endpoint which field takes the document.`,
	);
}

const UPLOAD_NOT_DESCRIBED = notDescribed('POST /workflows/{…}/documents', 'direct uploads');

/** Whether a field is declared as a file, or a list of them. */
function takesFile(field: Property): boolean {
	const { isFile, entries } = field.shape();
	return isFile || entries.some((entry) => entry.shape().isFile);
}

/** Whether a field may take the document, although another one is declared as a file. */
function mayTakeFile({ name, isRequired, shape }: Property, file: Property): boolean {
	const { types, values, formats } = shape();
	const isText = allows(shape(), 'string') && values.length === 0 && formats.length === 0;
	if (!isText || UPLOAD_NAMES.has(name)) return false;
	return types.size === 0 || (isRequired && !file.isRequired) || namesAFile(name);
}

/** `file` and `documentContent`, but not `file_name` or `document_type`. */
function namesAFile(name: string): boolean {
	const words = wordsIn(name).join(' ');
	return (
		/\b(?:files?|documents?|docs?|pdfs?|scans?|content|uploads?)\b/.test(words) &&
		!/\b(?:(?:u|gu|uu)?ids?|(?:file)?names?|types?|sizes?|dates?|at|by|urls?)\b/.test(words)
	);
}

/** What may accompany a document: its picture, or a file that belongs to it. */
function isAccessory(name: string): boolean {
	return /\b(?:thumb(?:nail)?|preview|icon|logo|cover|avatar|signature)s?\b/.test(
		wordsIn(name).join(' '),
	);
}

export function documentIdField({ reference, uploads }: DescribedApi): Seen {
	if (uploads.length === 0) return UPLOAD_NOT_DESCRIBED;
	const responses = responsesOf(uploads);
	const fields = reference.fieldsBelow(responses, ({ name }) => name === 'document_id');
	// One document, or a list of them: a bare name is found in both.
	const places = new Set(fields.map(({ value }) => value.replace(/\[0\]/g, '').replace(/^\./, '')));
	if (places.size > 1) {
		return listed(
			fields,
			"The upload's response has 'document_id' in several places. Choose the one of the uploaded document.",
		);
	}
	const [field] = fields;
	if (!field) return fieldsForAnId(reference, responses);
	if (!field.value.split('.').some(namesAnotherDocument)) {
		return listed([{ ...field, value: 'document_id' }]);
	}
	const others = fieldsForAnId(reference, responses);
	if (others.candidates.length > 1) return others;
	return nothing(
		`The upload's response has 'document_id' only as '${field.value}', which is probably another document. ${LOOK_FOR_ID}`,
	);
}

const LOOK_FOR_ID =
	'Look at the response of the upload endpoint for the field that holds the ID of the document, or upload one document and see what the response has.';

/** What may identify the document where the response does not name it as the interface does. */
function fieldsForAnId(reference: Reference, responses: JsonObject[]): Seen {
	if (responses.length === 0) {
		return nothing(`The upload's response is not described. ${LOOK_FOR_ID}`);
	}
	const fields = reference.fieldsBelow(
		responses,
		({ name, shape }) => namesAnId(name) && allows(shape(), 'string', 'integer', 'number'),
	);
	return listed(
		fields,
		fields.length > 0
			? "The upload's response has no 'document_id' of its own. By their names, these fields may hold an ID. Choose the one that identifies the document."
			: `The upload's response declares no field for an ID. ${LOOK_FOR_ID}`,
	);
}

export function workflowEndpoint({ ofWorkflow }: DescribedApi): Seen {
	if (ofWorkflow.length === 0) {
		return nothing(
			"No response declares 'is_extracting'. Look for the endpoint that returns the workflow with its columns.",
		);
	}
	// The interface shows what the others do, and other methods change something.
	const reading = ofWorkflow.filter(
		(operation) => ['GET', 'POST'].includes(operation.method) && !isShown(operation),
	);
	if (reading.length === 0) {
		return nothing(
			"Endpoints for other purposes declare 'is_extracting', but none of these reads the workflow. Look for the endpoint that returns the workflow with its columns. If there is none, leave this field empty.",
		);
	}
	const readingOne = reading.filter(({ endpoint }) => endpoint.includes('{workflow_id}'));
	if (readingOne.length === 0) {
		return nothing(
			`'is_extracting' is declared only by endpoints without the workflow's ID in a place that the node knows: ${named(reading.map(({ endpoint }) => endpoint))}. If one of them returns one workflow, enter it with {workflow_id} in place of that ID. Otherwise look for the endpoint that returns one workflow with its columns.`,
		);
	}
	const isSeveral = readingOne.length > 1;
	const isPost = readingOne.some(({ method }) => method === 'POST');
	const check = `Check in ${isSeveral ? 'the description of a POST' : 'its description'} that it only reads: the node calls this endpoint again and again while it waits.`;
	const seen = endpoints(
		readingOne,
		isSeveral &&
			"The responses of several endpoints declare 'is_extracting'. Choose the one that returns one workflow with its columns.",
		isPost && check,
	);
	return isPost ? { ...seen, check } : seen;
}

/** Endpoints to choose from. */
function endpoints(operations: Operation[], ...notes: Note[]): Seen {
	const candidates = operations.map(({ endpoint, part }) => ({ value: endpoint, part }));
	const others = otherParameters(candidates.slice(0, MOST_LISTED).map(({ value }) => value));
	return listed(
		candidates,
		...notes,
		others.length > 0 &&
			`${named(others)}: if this is the ID of the workflow, write {workflow_id} instead.`,
	);
}

export const CHOOSE_FINISHED =
	'Choose all that mean that the extraction is over, done or failed, and separate them with commas.';

export function finishedStatuses({ reference }: DescribedApi): Seen {
	const lists = operationsWith(reference, LIST_DOCUMENTS);
	if (lists.length === 0) return notDescribed('GET /workflows/{…}/documents', 'finished statuses');
	const fields = reference.fieldsBelow(
		responsesOf(lists),
		({ name }) => name === 'extraction_status',
	);
	const values = fields.flatMap(({ shape }) => shape().values);
	if (values.length === 0) {
		return nothing(
			`${fields.length > 0 ? "The document list has 'extraction_status', but its values are not listed" : "The document list declares no 'extraction_status'"}. Look in its description for the values for done and for failed.`,
		);
	}
	return {
		...listed(values.map((one) => ({ ...one, value: String(one.value) }))),
		choose: CHOOSE_FINISHED,
	};
}

/**
 * The operations that may return signed upload URLs. The interface shows neither method nor path
 * (§4.3): it may be whatever returns a URL, once the document is known to be this service's.
 */
function mayReturnUploadUrl(reference: Reference, ofWorkflow: Operation[]): Operation[] {
	const { operations } = reference;
	if (!operations.some(isShown)) return [];
	const excluded = new Set(ofWorkflow);
	return reference.operationsReturning(
		operations.filter((operation) => !isShown(operation) && !excluded.has(operation)),
		mayBeUrl,
	);
}

function mayBeUrl({ name, shape }: Property): boolean {
	if (!allows(shape(), 'string', 'array')) return false;
	const entries = shape().entries.map((entry) => entry.shape());
	const isText = (text: Shape) => allows(text, 'string');
	const isUri = ({ formats }: Shape) => formats.some((format) => /^(?:uri|url|iri)$/i.test(format));
	if ([shape(), ...entries].some((text) => isText(text) && isUri(text))) return true;
	if (!/url|href|(?:^|[^a-z])uris?(?:[^a-z]|$)|Uris?(?:[^a-z]|$)/i.test(name)) return false;
	return entries.length > 0 ? entries.some(isText) : isText(shape());
}

const UPLOAD_URL_NOT_DESCRIBED = nothing(
	'No endpoint declares a URL in its response, except those that have another purpose. For signed uploads, look for the endpoint that returns a URL to upload a file to.',
);

export function uploadUrlEndpoint({ signing }: DescribedApi): Seen {
	if (signing.length === 0) return UPLOAD_URL_NOT_DESCRIBED;
	return {
		...endpoints(signing),
		check: 'Check in its description that it returns a signed URL to upload a file to.',
		choose:
			'Choose the one whose description says that it returns a signed URL to upload a file to.',
	};
}

export function uploadUrlBody({ reference, signing }: DescribedApi): Seen {
	if (signing.length === 0) return UPLOAD_URL_NOT_DESCRIBED;
	const { candidates, notes } = bodies(reference, signing, UPLOAD_NAMES);
	return listed(
		candidates,
		...notes,
		candidates.length > 0 &&
			'Placeholders: {file_name}, {content_type} and {file_size} for the file, {workflow_id}, {collection_id} and {collection_name}.',
	);
}

export function uploadUrlField({ reference, signing }: DescribedApi): Seen {
	if (signing.length === 0) return UPLOAD_URL_NOT_DESCRIBED;
	const byEndpoint = signing.slice(0, MOST_LISTED).map(({ endpoint, responses }) => {
		const fields = reference.fieldsBelow(responses, mayBeUrl);
		const urls = fields.map(({ value, part, shape }) => {
			return { value: shape().types.has('array') ? `${value}[0]` : value, part };
		});
		return { endpoint, urls };
	});
	return listed(
		byEndpoint.flatMap(({ urls }) => urls),
		'Fields for a URL, by endpoint.',
		...byEndpoint.map(
			({ endpoint, urls }) => `${endpoint}: ${named(urls.map(({ value }) => value)) || 'none'}.`,
		),
	);
}

export function uploadHeadersField({ reference, signing }: DescribedApi): Seen {
	if (signing.length === 0) return UPLOAD_URL_NOT_DESCRIBED;
	const fields = reference.fieldsBelow(
		responsesOf(signing),
		({ name, shape }) => /headers?$/i.test(name) && allows(shape(), 'object'),
	);
	if (fields.length === 0) return listed([]);
	return {
		...listed(fields),
		check: 'Check in its description that it holds the headers that the upload has to carry.',
	};
}

/** @param placeholders names that the templates fill in with the placeholder of that name */
function bodies(
	reference: Reference,
	operations: Operation[],
	placeholders: ReadonlySet<string>,
): Seen {
	const templates = operations
		.slice(0, MOST_LISTED)
		.flatMap(({ endpoint, jsonBodies }) => jsonBodies.map((part) => ({ endpoint, part })))
		.flatMap(({ endpoint, part }) =>
			bodyTemplates(reference, part, placeholders).map((body) => ({ ...body, endpoint, part })),
		);
	if (templates.length === 0) return nothing('No JSON body is declared.');
	const properties = templates.map(
		({ endpoint, required, optional }) =>
			`${endpoint}: required: ${named(required) || 'nothing'}; optional: ${named(optional) || 'nothing'}.`,
	);
	return listed(
		templates,
		templates.some(({ value }) => isIncomplete(value)) &&
			`${COMPLETE} You can leave out what is optional.`,
		...[...new Set(properties)].slice(0, MOST_LISTED),
	);
}

const CONFIRM_NOT_DESCRIBED = notDescribed(
	'a path that ends with /documents/confirm',
	'signed uploads',
);

export function confirmMethod({ confirming }: DescribedApi): Seen {
	if (confirming.length === 0) return CONFIRM_NOT_DESCRIBED;
	return listed(
		confirming.map(({ method, part }) => ({ value: method, part })),
		confirming.some(({ method }) => method !== confirming[0].method) &&
			'Several methods are described. Choose the one that confirms uploads.',
	);
}

export function confirmBody({ reference, confirming }: DescribedApi): Seen {
	if (confirming.length === 0) return CONFIRM_NOT_DESCRIBED;
	const { candidates, notes } = bodies(reference, confirming, CONFIRM_NAMES);
	return listed(
		candidates,
		...notes,
		candidates.some(({ value }) => !value.includes('{document_id}')) &&
			'Write {document_id} where the ID of the document goes.',
	);
}

export function valuesField({ reference }: DescribedApi): Seen {
	return listedInResults(
		containersOf(reference, resultSchemas(reference)),
		'These fields of a result hold an object or a list. Choose the one that holds the extracted values, by column or one entry for each column.',
	);
}

/**
 * Fields of a column's entry, where results have one for each column.
 * @param isPossible which of them fit, by name or schema
 */
export function entryField(
	advice: string,
	isPossible: (field: Field) => boolean = () => true,
): Finder {
	return ({ reference }) =>
		listedInResults(
			entryFields(reference).filter(isPossible),
			`Needed only where there is one entry for each column. ${advice}`,
		);
}

export function mayBeText({ shape }: Field): boolean {
	return allows(shape(), 'string');
}

/** The document can only give candidates: which one holds the values, a schema does not tell. */
function listedInResults(fields: Candidate[], advice: string): Seen {
	return listed(
		fields,
		fields.length > 0
			? advice
			: 'The document declares no field that could be this one. Look at a real result: read one with Extraction › Get Many.',
	);
}

/** The results: what the page envelope (§2) of the extraction list has in its `items`. */
function resultSchemas(reference: Reference): JsonObject[] {
	return responsesOf(operationsWith(reference, LIST_EXTRACTIONS))
		.flatMap((envelope) => reference.shapeOf(envelope).properties)
		.filter(({ name }) => name === 'items')
		.flatMap(entrySchemas);
}

function entrySchemas({ shape }: Property): JsonObject[] {
	return shape().entries.map(({ part }) => part);
}

function containersOf(reference: Reference, results: JsonObject[]): Field[] {
	return reference.fieldsBelow(results, ({ shape }) => {
		const { types } = shape();
		return types.has('object') || types.has('array');
	});
}

/** The fields of what may be a column's entry: the entries of lists in a result, and the result itself. */
function entryFields(reference: Reference): Field[] {
	const results = resultSchemas(reference);
	const entries = containersOf(reference, results).flatMap(entrySchemas);
	return reference
		.fieldsBelow([...entries, ...results], () => true)
		.filter(({ value }) => !value.includes('['));
}
