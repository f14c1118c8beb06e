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
import { bodyTemplates, COMPLETE } from './bodies';
import { allows, otherParameters, Reference, type OpenApiDocument } from './reference';
import type { Field, Finding, Operation, Property, Shape } from './reference';

export interface Found {
	found: Finding[];
	/** What several findings mean, or what to look for where the document says nothing. */
	note?: string;
	/** One sentence: what the user has to do with a single value before it is right. */
	check?: string;
	/** One sentence: how to choose, unless just one of them is right. */
	choose?: string;
}

/** Finds what a document says about one API Detail. */
export type Finder = (api: DescribedApi) => Found;

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
/** More endpoints are not even counted. */
const MOST_ENDPOINTS = 1000;
const MAY_BE_MORE = 'There may be more: the schema goes deeper than is listed.';
const CUT_SHORT =
	'The document is too large or too deeply nested to be read completely: it may say more.';

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
	const findings = Object.entries<{ find: Finder }>(details).map(
		([detail, { find }]) => [detail, find(api)] as const,
	);
	if (reference.isCutShort) {
		for (const [, found] of findings)
			found.note = [found.note, CUT_SHORT].filter(Boolean).join(' ');
	}
	return Object.fromEntries(findings) as Record<Detail, Found>;
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

/** Each value once, where it stands first, and no more than can be chosen from. */
function listed(findings: Finding[], ...notes: Array<string | false>): Found {
	const byValue = new Map<string, Finding>();
	for (const { value, at } of findings) if (!byValue.has(value)) byValue.set(value, { value, at });
	const isCut = byValue.size > MOST_LISTED;
	const note = [...notes, isCut && `Only the first ${MOST_LISTED} of ${byValue.size} are listed.`]
		.filter(Boolean)
		.join(' ');
	return { found: [...byValue.values()].slice(0, MOST_LISTED), ...(note && { note }) };
}

function nothing(note: string): Found {
	return { found: [], note };
}

function notDescribed(endpoint: string, purpose: string): Found {
	return nothing(
		`The document does not describe ${endpoint}. It may belong to another service, or not cover this part. For ${purpose}, look in the account's API reference.`,
	);
}

/** Names within a note. */
function named(items: string[]): string {
	return items.slice(0, MOST_LISTED).join(', ') + (items.length > MOST_LISTED ? ', …' : '');
}

export function uploadFileField({ reference, uploads }: DescribedApi): Found {
	if (uploads.length === 0) return uploadNotDescribed();
	const fields = uploads.flatMap((upload) => reference.formFields(upload));
	const files = fields.filter((field) => takesFile(reference, field));
	const [file] = files;
	if (!file) {
		return nothing(
			'The upload endpoint does not say which of its form fields carries the file. Look in its description or example for the field that takes the file.',
		);
	}
	const toFinding = ({ name, schema }: Property) => ({
		value: name,
		at: reference.pointerTo(schema),
	});
	if (files.some(({ name }) => name !== file.name)) {
		return listed(
			files.map(toFinding),
			'Several form fields take a file. Choose the one for the document itself.',
		);
	}
	const others = fields.filter(
		(field) =>
			!files.includes(field) && mayTakeFile(reference, field, field.isRequired && !file.isRequired),
	);
	return listed(
		[...files, ...others].map(toFinding),
		others.length > 0
			? `Only '${file.name}' is declared as a file, but the document itself may go elsewhere. Choose the field for it by the description or example of the upload endpoint.`
			: isAccessory(file.name) &&
					`By its name, '${file.name}' may not be the document itself. Check in the description or example of the upload endpoint which field takes the document.`,
	);
}

const uploadNotDescribed = () => notDescribed('POST /workflows/{…}/documents', 'direct uploads');

/** Whether a field is declared as a file, or a list of them. */
function takesFile(reference: Reference, { schema }: Property): boolean {
	const shape = reference.shapeOf(schema);
	return shape.isFile || shape.entries.some((entry) => reference.shapeOf(entry.schema).isFile);
}

/** Whether a field may take the document, although another one is declared as a file. */
function mayTakeFile(
	reference: Reference,
	{ name, schema }: Property,
	isRequiredInstead: boolean,
): boolean {
	const shape = reference.shapeOf(schema);
	const isText = allows(shape, 'string') && shape.values.length === 0 && shape.formats.length === 0;
	if (!isText || UPLOAD_NAMES.has(name)) return false;
	return shape.types.size === 0 || isRequiredInstead || namesAFile(name);
}

/** `file` and `documentContent`, but not `file_name` or `document_type`. */
function namesAFile(name: string): boolean {
	const words = wordsIn(name);
	return (
		words.some((word) =>
			/^(?:files?|documents?|docs?|pdfs?|scans?|content|uploads?)$/.test(word),
		) &&
		!words.some((word) =>
			/^(?:(?:u|gu|uu)?ids?|names?|(?:file)?names?|types?|sizes?|dates?|at|by|urls?)$/.test(word),
		)
	);
}

/** What may accompany a document: its picture, or a file that belongs to it. */
function isAccessory(name: string): boolean {
	return wordsIn(name).some((word) =>
		/^(?:thumbnails?|thumbs?|previews?|icons?|logos?|covers?|avatars?|signatures?)$/.test(word),
	);
}

export function documentIdField({ reference, uploads }: DescribedApi): Found {
	if (uploads.length === 0) return uploadNotDescribed();
	const { fields, isWhole } = reference.fieldsBelow(
		reference.responses(uploads),
		({ name }) => name === 'document_id',
	);
	// One document, or a list of them: a bare name is found in both.
	const places = new Set(fields.map(({ value }) => value.replace(/\[0\]/g, '').replace(/^\./, '')));
	if (places.size > 1) {
		return listed(
			fields,
			"The upload's response has 'document_id' in several places. Choose the one of the uploaded document.",
		);
	}
	const [field] = fields;
	if (!field) return fieldsForAnId(reference, uploads);
	if (field.value.split('.').some(namesAnotherDocument)) {
		const others = fieldsForAnId(reference, uploads);
		if (others.found.length > 1) return others;
		return nothing(
			`The upload's response has 'document_id' only as '${field.value}', which is probably another document. ${LOOK_FOR_ID}`,
		);
	}
	return listed([{ ...field, value: 'document_id' }], !isWhole && MAY_BE_MORE);
}

const LOOK_FOR_ID =
	'Look at the response of the upload endpoint for the field that holds the ID of the document, or upload one document and see what the response has.';

/** What may identify the document where the response does not name it as the interface does. */
function fieldsForAnId(reference: Reference, uploads: Operation[]): Found {
	const responses = reference.responses(uploads);
	if (responses.length === 0) {
		return nothing(`The upload's response is not described. ${LOOK_FOR_ID}`);
	}
	const { fields } = reference.fieldsBelow(
		responses,
		({ name, schema }) =>
			namesAnId(name) && allows(reference.shapeOf(schema), 'string', 'integer', 'number'),
	);
	if (fields.length === 0) {
		return nothing(`The upload's response declares no field for an ID. ${LOOK_FOR_ID}`);
	}
	return listed(
		fields,
		"The upload's response has no 'document_id' of its own. By their names, these fields may hold an ID. Choose the one that identifies the document.",
	);
}

export function workflowEndpoint({ reference, ofWorkflow }: DescribedApi): Found {
	if (ofWorkflow.length === 0) {
		return nothing(
			"No response declares 'is_extracting'. Look for the endpoint that returns the workflow with its columns.",
		);
	}
	// The interface shows what the others do, and other methods change something.
	const reading = ofWorkflow
		.filter((operation) => ['GET', 'POST'].includes(operation.method) && !isShown(operation))
		.map((operation) => ({ ...operation, endpoint: reference.endpoint(operation) }));
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
	const found = endpoints(
		reference,
		readingOne,
		isSeveral &&
			"The responses of several endpoints declare 'is_extracting'. Choose the one that returns one workflow with its columns.",
		isPost && check,
	);
	return isPost ? { ...found, check } : found;
}

/** Endpoints to choose from. */
function endpoints(
	reference: Reference,
	operations: Operation[],
	...notes: Array<string | false>
): Found {
	const findings = operations.slice(0, MOST_ENDPOINTS).map((operation) => ({
		value: reference.endpoint(operation),
		at: reference.pointerTo(operation.definition),
	}));
	const others = otherParameters(findings.slice(0, MOST_LISTED).map(({ value }) => value));
	return listed(
		findings,
		...notes,
		others.length > 0 &&
			`${named(others)}: if this is the ID of the workflow, write {workflow_id} instead.`,
	);
}

export function finishedStatuses({ reference }: DescribedApi): Found {
	const lists = operationsWith(reference, LIST_DOCUMENTS);
	if (lists.length === 0) return notDescribed('GET /workflows/{…}/documents', 'finished statuses');
	const { fields } = reference.fieldsBelow(
		reference.responses(lists),
		({ name }) => name === 'extraction_status',
	);
	const values = fields
		.flatMap(({ schema }) => reference.shapeOf(schema).values)
		.map(({ value, schema, pointer }) => ({
			value: String(value),
			at: reference.pointerTo(schema) + pointer,
		}));
	if (values.length === 0) {
		return nothing(
			`${fields.length > 0 ? "The document list has 'extraction_status', but its values are not listed" : "The document list declares no 'extraction_status'"}. Look in its description for the values for done and for failed.`,
		);
	}
	return {
		...listed(values),
		choose:
			'Choose all that mean that the extraction is over, done or failed, and separate them with commas.',
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
		(property) => mayBeUrl(reference, property),
	);
}

function mayBeUrl(reference: Reference, { name, schema }: Property): boolean {
	const shape = reference.shapeOf(schema);
	if (!allows(shape, 'string', 'array')) return false;
	const entries = shape.entries.map((entry) => reference.shapeOf(entry.schema));
	const isText = (text: Shape) => allows(text, 'string');
	const isUri = ({ formats }: Shape) => formats.some((format) => /^(?:uri|url|iri)$/i.test(format));
	if ([shape, ...entries].some((text) => isText(text) && isUri(text))) return true;
	if (!/url|href|(?:^|[^a-z])uris?(?:[^a-z]|$)|Uris?(?:[^a-z]|$)/i.test(name)) return false;
	return entries.length > 0 ? entries.some(isText) : isText(shape);
}

const uploadUrlNotDescribed = () =>
	nothing(
		'No endpoint declares a URL in its response, except those that have another purpose. For signed uploads, look for the endpoint that returns a URL to upload a file to.',
	);

export function uploadUrlEndpoint({ reference, signing }: DescribedApi): Found {
	if (signing.length === 0) return uploadUrlNotDescribed();
	return {
		...endpoints(reference, signing),
		check: 'Check in its description that it returns a signed URL to upload a file to.',
		choose:
			'Choose the one whose description says that it returns a signed URL to upload a file to.',
	};
}

export function uploadUrlBody({ reference, signing }: DescribedApi): Found {
	if (signing.length === 0) return uploadUrlNotDescribed();
	const { templates, notes } = bodies(reference, signing, UPLOAD_NAMES);
	return listed(
		templates,
		...notes,
		templates.length > 0 &&
			'Placeholders: {file_name}, {content_type} and {file_size} for the file, {workflow_id}, {collection_id} and {collection_name}.',
	);
}

export function uploadUrlField({ reference, signing }: DescribedApi): Found {
	if (signing.length === 0) return uploadUrlNotDescribed();
	const searches = signing.slice(0, MOST_LISTED).map((operation) => {
		const { fields, isWhole } = reference.fieldsBelow(
			reference.responses([operation]),
			(property) => mayBeUrl(reference, property),
		);
		const urls = fields.map(({ value, at, schema }) => ({
			value: reference.shapeOf(schema).types.has('array') ? `${value}[0]` : value,
			at,
		}));
		const names = named(urls.map(({ value }) => value)) || 'none';
		return { urls, isWhole, note: `${reference.endpoint(operation)}: ${names}.` };
	});
	return listed(
		searches.flatMap(({ urls }) => urls),
		'Fields for a URL, by endpoint.',
		...searches.map(({ note }) => note),
		!searches.every(({ isWhole }) => isWhole) && MAY_BE_MORE,
	);
}

export function uploadHeadersField({ reference, signing }: DescribedApi): Found {
	if (signing.length === 0) return uploadUrlNotDescribed();
	const { fields } = reference.fieldsBelow(
		reference.responses(signing),
		({ name, schema }) => /headers?$/i.test(name) && allows(reference.shapeOf(schema), 'object'),
	);
	if (fields.length === 0) return { found: [] };
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
): { templates: Finding[]; notes: Array<string | false> } {
	const templates = operations.slice(0, MOST_LISTED).flatMap((operation) =>
		reference.jsonBodies(operation).flatMap((schema) =>
			bodyTemplates(reference, schema, placeholders).map((template) => ({
				value: template.json,
				at: reference.pointerTo(schema),
				isIncomplete: template.isIncomplete,
				note: `${reference.endpoint(operation)}: required: ${named(template.required) || 'nothing'}; optional: ${named(template.optional) || 'nothing'}.`,
			})),
		),
	);
	if (templates.length === 0) return { templates, notes: ['No JSON body is declared.'] };
	const isIncomplete = templates.some((template) => template.isIncomplete);
	const properties = new Set(templates.map(({ note }) => note));
	return {
		templates,
		notes: [
			isIncomplete && `${COMPLETE} You can leave out what is optional.`,
			...[...properties].slice(0, MOST_LISTED),
		],
	};
}

const confirmNotDescribed = () =>
	notDescribed('a path that ends with /documents/confirm', 'signed uploads');

export function confirmMethod({ reference, confirming }: DescribedApi): Found {
	if (confirming.length === 0) return confirmNotDescribed();
	return listed(
		confirming.map(({ method, definition }) => ({
			value: method,
			at: reference.pointerTo(definition),
		})),
		confirming.some(({ method }) => method !== confirming[0].method) &&
			'Several methods are described. Choose the one that confirms uploads.',
	);
}

export function confirmBody({ reference, confirming }: DescribedApi): Found {
	if (confirming.length === 0) return confirmNotDescribed();
	const { templates, notes } = bodies(reference, confirming, CONFIRM_NAMES);
	return listed(
		templates,
		...notes,
		templates.some(({ value }) => !value.includes('{document_id}')) &&
			'Write {document_id} where the ID of the document goes.',
	);
}

export function valuesField({ reference }: DescribedApi): Found {
	return candidates(
		containersOf(reference, resultSchemas(reference)),
		'These fields of a result hold an object or a list. Choose the one that holds the extracted values, by column or one entry for each column.',
	);
}

export function columnNameField({ reference }: DescribedApi): Found {
	return candidates(
		columnFields(reference).filter(({ schema }) => allows(reference.shapeOf(schema), 'string')),
		'Needed only where there is one entry for each column. These fields of such an entry may hold a name: choose the one that names the column.',
	);
}

export function columnValueField({ reference }: DescribedApi): Found {
	return candidates(
		columnFields(reference),
		'Needed only where there is one entry for each column. These are the fields of such an entry: choose the one that holds the value itself.',
	);
}

/** The document can only give candidates: which one holds the values, a schema does not tell. */
function candidates(fields: Field[], advice: string): Found {
	return listed(
		fields,
		fields.length > 0
			? advice
			: "The document does not say what an entry of the extraction list's items holds. Look at a real one: read one with Extraction › Get Many.",
	);
}

/** The results: what the page envelope (§2) of the extraction list has in its `items`. */
function resultSchemas(reference: Reference): JsonObject[] {
	return reference
		.responses(operationsWith(reference, LIST_EXTRACTIONS))
		.flatMap((envelope) => reference.shapeOf(envelope).properties)
		.filter(({ name }) => name === 'items')
		.flatMap(({ schema }) => entrySchemas(reference, schema));
}

function entrySchemas(reference: Reference, schema: JsonObject): JsonObject[] {
	return reference.shapeOf(schema).entries.map((entry) => entry.schema);
}

function containersOf(reference: Reference, results: JsonObject[]): Field[] {
	return reference.fieldsBelow(results, ({ schema }) => {
		const { types } = reference.shapeOf(schema);
		return types.has('object') || types.has('array');
	}).fields;
}

/** The fields of what may be a column's entry: the entries of lists in a result, and the result itself. */
function columnFields(reference: Reference): Field[] {
	const results = resultSchemas(reference);
	const entries = containersOf(reference, results).flatMap(({ schema }) =>
		entrySchemas(reference, schema),
	);
	return reference
		.fieldsBelow([...entries, ...results], () => true)
		.fields.filter(({ value }) => !value.includes('['));
}
