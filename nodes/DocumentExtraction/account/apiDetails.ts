/**
 * What the service's interface leaves open: one entry for each API Detail. The credential's text, messages,
 * and Check Setup derive from this table: whoever adds an API Detail adds its entry, and no more.
 */
import { UserError } from 'n8n-workflow';

import { redact, shortened } from '../http/redact';
import { DOCUMENT_ID } from './fields';
import {
	parseConfirmBody,
	parseConfirmMethod,
	parseDocumentIdPath,
	parseFieldPath,
	parseFileField,
	parseList,
	parseReadEndpoint,
	parseTemplate,
	parseUploadUrlEndpoint,
	type ParseContext,
	type Placeholder,
} from './parse';
import { parseRows } from './rows';

/** The field of the credential that holds them, a line for each. */
export const DETAILS_LABEL = 'API Details';

const OF_AN_UPLOAD: Placeholder[] = [
	'workflow_id',
	'collection_id',
	'collection_name',
	'file_name',
	'content_type',
	'file_size',
];

const OF_SIGNED_UPLOADS =
	'Optional: needed only for signed uploads, Create Upload URL and Confirm Upload';

interface DetailEntry {
	/** What its line begins with. */
	label: string;
	/** The way through the account's API reference to what is to be entered. */
	lookAt: string;
	/** What a line may look like behind its label. */
	example: string;
	/** What counts without a line. */
	default?: string;
	/** What to say of it where flows can do without it. */
	optional?: string;
	/** What it may contain. */
	placeholders?: Placeholder[];
	/**
	 * The value that a text stands for.
	 * @throws MalformedDetailError
	 */
	parse: (text: string, context: ParseContext) => unknown;
}

const TABLE = {
	uploadFileField: {
		label: 'Upload File Field',
		lookAt: 'the form field that carries the file, in the upload endpoint (POST …/documents)',
		example: 'file',
		parse: parseFileField,
	},
	documentIdField: {
		label: 'Document ID Field',
		lookAt: "the field with the document's ID, in the response of the upload endpoint",
		example: 'data.document.id',
		default: DOCUMENT_ID,
		parse: parseDocumentIdPath,
	},
	rows: {
		label: 'Rows',
		lookAt: [
			"the fields that contain a document's values and the names of their columns,",
			"in an entry of 'items' in the response of GET …/extractions",
		].join(' '),
		example: 'cells: name = value',
		parse: parseRows,
	},
	workflowEndpoint: {
		label: 'Workflow Endpoint',
		lookAt: 'the method and path of the endpoint that returns the workflow',
		example: 'GET /path/to/{workflow_id}',
		optional: [
			'Recommended: it lets you choose from lists of columns and collections,',
			'and often shortens the wait',
		].join(' '),
		placeholders: ['workflow_id'],
		parse: parseReadEndpoint,
	},
	finishedStatuses: {
		label: 'Finished Statuses',
		lookAt:
			'the values of extraction_status that mean done or failed, in the endpoint that lists documents',
		example: 'status one, status two',
		optional: 'Optional: needed only for a faster wait',
		parse: parseList,
	},
	failedStatuses: {
		label: 'Failed Statuses',
		lookAt:
			'the values of extraction_status that mean failed, in the endpoint that lists documents',
		example: 'status two',
		optional: 'Optional: needed only for documents that fail by their status',
		parse: parseList,
	},
	fileUrlField: {
		label: 'File URL Field',
		lookAt: [
			"the field with the URL of a document's file,",
			"in an entry of 'items' in the response of GET …/extractions",
		].join(' '),
		example: 'file_url',
		optional: 'Optional: needed only for the option Include File',
		parse: parseFieldPath,
	},
	uploadUrlEndpoint: {
		label: 'Upload URL Endpoint',
		lookAt: 'the method and path of the endpoint that returns a signed upload URL',
		example: 'POST /path/with/{workflow_id}',
		optional: OF_SIGNED_UPLOADS,
		placeholders: OF_AN_UPLOAD,
		parse: parseUploadUrlEndpoint,
	},
	uploadUrlBody: {
		label: 'Upload URL Body',
		lookAt: 'the JSON body, if there is one, of the endpoint that returns a signed upload URL',
		example: '{"name": "{file_name}", "type": "{content_type}", "size": "{file_size}"}',
		optional: OF_SIGNED_UPLOADS,
		placeholders: OF_AN_UPLOAD,
		parse: parseTemplate,
	},
	uploadUrlField: {
		label: 'Upload URL Field',
		lookAt: 'the field that contains the URL, in the response with the signed upload URL',
		example: 'data.files[0].url',
		optional: OF_SIGNED_UPLOADS,
		parse: parseFieldPath,
	},
	uploadHeadersField: {
		label: 'Upload Headers Field',
		lookAt:
			'the field with the headers for the file, if there is one, in the response with the signed upload URL',
		example: 'data.files[0].headers',
		optional: OF_SIGNED_UPLOADS,
		parse: parseFieldPath,
	},
	confirmMethod: {
		label: 'Confirm Method',
		lookAt: 'the method of the endpoint whose path ends with /documents/confirm',
		example: 'POST',
		optional: OF_SIGNED_UPLOADS,
		parse: parseConfirmMethod,
	},
	confirmBody: {
		label: 'Confirm Body',
		lookAt: 'the JSON body of the endpoint whose path ends with /documents/confirm',
		example: '{"ids": ["{document_id}"]}',
		optional: OF_SIGNED_UPLOADS,
		placeholders: ['document_id', ...OF_AN_UPLOAD],
		parse: parseConfirmBody,
	},
} satisfies Record<string, DetailEntry>;

export type ApiDetail = keyof typeof TABLE;

export type DetailValue<Detail extends ApiDetail> = ReturnType<(typeof TABLE)[Detail]['parse']>;

/** In the order in which users need them: uploads, rows, waiting, signed uploads. */
export const API_DETAILS: Record<ApiDetail, DetailEntry> = TABLE;

export const ALL_DETAILS = Object.keys(TABLE) as ApiDetail[];

/** The API Details of signed uploads. */
export const SIGNED_DETAILS = ALL_DETAILS.filter(
	(detail) => API_DETAILS[detail].optional === OF_SIGNED_UPLOADS,
);

/** Their labels in quotes, for a message. */
export function labelsOf(details: ApiDetail[], separator = ', '): string {
	return details.map((detail) => `'${API_DETAILS[detail].label}'`).join(separator);
}

/** The line that holds this value. */
export const lineOf = (detail: ApiDetail, value: string) =>
	`${API_DETAILS[detail].label}: ${value}`;

/** The error about an API Detail that an operation cannot do without. */
export const emptyError = (detail: ApiDetail) =>
	new UserError(
		`'${DETAILS_LABEL}' in the credential has no line ${labelsOf([detail])}, and this step needs it`,
		{ description: howToFillIn(detail) },
	);

const LONGEST_SHOWN = 100;

/**
 * The error about an API Detail that is wrong.
 * @param what completes a sentence that begins with its line
 * @param entered its value, with no secret in it, where the message shows the whole line
 */
export function detailError(
	detail: ApiDetail,
	what: string,
	{ description = howToCorrect(detail), entered }: { description?: string; entered?: string } = {},
): UserError {
	const { label } = API_DETAILS[detail];
	const line = entered === undefined ? label : lineOf(detail, entered);
	return new UserError(
		`The credential's line '${shortened(redact(line), LONGEST_SHOWN)}' ${what}`,
		{ description },
	);
}

/** Tells the user to add the line of an API Detail: an example of it, and where to look for its value. */
export const howToFillIn = (detail: ApiDetail) =>
	howTo(
		detail,
		`add to '${DETAILS_LABEL}' a line such as '${lineOf(detail, API_DETAILS[detail].example)}'`,
	);

/** Tells the user to correct the line of an API Detail. */
export const howToCorrect = (detail: ApiDetail) =>
	howTo(detail, `correct the line '${API_DETAILS[detail].label}' in '${DETAILS_LABEL}'`);

function howTo(detail: ApiDetail, change: string): string {
	const { label, lookAt } = API_DETAILS[detail];
	return [
		`Open the credential and ${change}.`,
		'To see what to enter, add another Document Extraction node, and execute it with the operation',
		`Workflow › Check Setup: its item '${label}' has the line, or lists lines to choose from.`,
		`If that does not help, ask your account team for this part of the API reference: ${lookAt}.`,
	].join(' ');
}

/** Where the user finds the value of an API Detail, as one sentence. */
export const whereToLook = (detail: ApiDetail) =>
	`In your API reference, look for ${API_DETAILS[detail].lookAt}.`;
