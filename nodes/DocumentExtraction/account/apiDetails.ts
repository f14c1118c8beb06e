/**
 * What the service's interface leaves open: one entry for each API Detail. The credential window,
 * messages, readiness and Check Setup derive from this table.
 */
import { UserError } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';

import type { DocumentExtractionCredential } from './credential';
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
	unquoted,
	type ParseContext,
	type Placeholder,
} from './parse';
import { parseRows } from './rows';

/** The groups of API Details that the credential window shows behind a switch of their own. */
export const DETAIL_GROUPS: Record<
	'responseFields' | 'waitingAndLists' | 'signedUploads',
	GroupTexts
> = {
	responseFields: {
		switch: 'useResponseFields',
		label: 'Set Up One Row per Document',
		description:
			"Whether to tell the node where the service's results contain the values, so that it returns one item per document with a field for each column",
		hint: 'Gives you a field for each column, ready for a spreadsheet or database. Until you set this up, you get raw JSON.',
	},
	waitingAndLists: {
		switch: 'useWaitingAndLists',
		label: 'Set Up Faster Waiting and Dropdown Lists',
		description:
			'Whether to tell the node how to recognize a finished extraction, and where to read the lists of collections and columns',
		hint: 'Recommended: without it, runs may take longer, and you type IDs or names instead of choosing from lists',
		unneeded: 'it usually makes waiting faster',
	},
	signedUploads: {
		switch: 'useSignedUploads',
		label: 'Set Up Signed Uploads for Large Files',
		description:
			'Whether to send large files straight to storage, with URLs that the service signs',
		hint: 'For large files. Fill in every field that appears; only Upload URL Body and Upload Headers Field may stay empty.',
		unneeded: 'needed only for signed uploads, Create Upload URL and Confirm Upload',
	},
};

interface GroupTexts {
	/** The name of the switch's field. */
	switch: string;
	label: string;
	description: string;
	/** The sentence under the switch. */
	hint: string;
	/** What it is for, where flows do without it. */
	unneeded?: string;
}

const OF_AN_UPLOAD: Placeholder[] = [
	'workflow_id',
	'collection_id',
	'collection_name',
	'file_name',
	'content_type',
	'file_size',
];

interface DetailEntry {
	label: string;
	/** Undefined for those that everybody sees. */
	group?: keyof typeof DETAIL_GROUPS;
	/** A field without which this one has no use: hidden, and right to leave empty, while that one is empty. */
	shownWith?: string;
	/** What to enter. */
	description: string;
	/** The way through the account's API reference to what is to be copied. */
	lookAt: string;
	/** When there is nothing to fill in, and an empty field is right. */
	emptyIf?: string;
	/** Why to fill it in all the same, where nothing needs it. */
	recommendedBecause?: string;
	/** The API Detail that makes up for it where it is empty. */
	replacedBy?: 'workflowEndpoint';
	/** What it may contain. */
	placeholders?: Placeholder[];
	/** The rest of the field in the credential window, a text by default. If the user empties it, its `default` counts. */
	field: Partial<INodeProperties>;
	/**
	 * The value that a text stands for.
	 * @throws MalformedDetailError
	 */
	parse: (text: string, context: ParseContext) => unknown;
}

const TABLE = {
	uploadFileField: {
		label: 'Upload File Field',
		description:
			"The form field that carries the file in an upload. You can paste the part of a curl command that sends the file, e.g. -F 'file=@invoice.pdf'",
		lookAt: 'the form field that carries the file, in the upload endpoint (POST …/documents)',
		field: {
			placeholder: 'e.g. file',
			hint: 'Save, then execute the node with its operation <b>Workflow › Check Setup</b>: it says what to enter here and below',
		},
		parse: parseFileField,
	},
	documentIdField: {
		label: 'Document ID Field',
		description:
			"The field that contains the document's ID in the response to an upload. Keep the default unless Check Setup, or a message or hint after an upload, says to change it. Enter a name, which is found anywhere in the response, or a path with dots, which is followed exactly, e.g. 'data.files[0].id'",
		lookAt: "the field with the document's ID, in the response of the upload endpoint",
		field: { default: DOCUMENT_ID, placeholder: 'e.g. document_id or data.document.id' },
		parse: parseDocumentIdPath,
	},
	rows: {
		label: 'Rows',
		group: 'responseFields',
		description:
			"Where results contain their values: the field that holds them, e.g. 'values', or 'cells: name = value' if there is an entry for each column. Copy a line from the choices of Check Setup",
		lookAt:
			"the fields that contain a document's values and the names of their columns, in an entry of 'items' in the response of GET …/extractions",
		field: { placeholder: 'e.g. cells: name = value' },
		parse: parseRows,
	},
	workflowEndpoint: {
		label: 'Workflow Endpoint',
		group: 'waitingAndLists',
		description:
			"For dropdown lists, waiting, Workflow › Get and Workflow › Wait Until Extracted: the method and path of the endpoint that returns the workflow, with {workflow_id} in place of the workflow's ID",
		lookAt: 'the method and path of the endpoint that returns the workflow',
		recommendedBecause:
			'it lets you choose from lists of columns and collections, and often shortens the wait',
		placeholders: ['workflow_id'],
		field: { placeholder: 'e.g. GET /path/to/{workflow_id}' },
		parse: parseReadEndpoint,
	},
	finishedStatuses: {
		label: 'Finished Statuses',
		group: 'waitingAndLists',
		description:
			"Optional, for waiting: all values of 'extraction_status' that mean that a document's extraction is over, whether it succeeded or failed. Separate them with commas, and spell them exactly as your API reference does. With thousands of documents in the workflow, leave it empty and fill in Workflow Endpoint instead",
		lookAt:
			'the values of extraction_status that mean done or failed, in the endpoint that lists documents',
		replacedBy: 'workflowEndpoint',
		field: { placeholder: 'e.g. status one, status two' },
		parse: parseList,
	},
	uploadUrlEndpoint: {
		label: 'Upload URL Endpoint',
		group: 'signedUploads',
		description:
			"The method and path of the endpoint that returns signed upload URLs, with {workflow_id} in place of the workflow's ID",
		lookAt: 'the method and path of the endpoint that returns a signed upload URL',
		placeholders: OF_AN_UPLOAD,
		field: { placeholder: 'e.g. POST /path/with/{workflow_id}' },
		parse: parseUploadUrlEndpoint,
	},
	uploadUrlBody: {
		label: 'Upload URL Body',
		group: 'signedUploads',
		shownWith: 'uploadUrlEndpoint',
		description:
			'The JSON body of the request to Upload URL Endpoint, from your API reference. Replace its example values with these placeholders: {file_name} {content_type} {file_size} {workflow_id} {collection_id} {collection_name}. Leave it empty if the endpoint takes no body',
		lookAt: 'the JSON body of the endpoint that returns a signed upload URL',
		emptyIf: "the endpoint in 'Upload URL Endpoint' takes no body",
		placeholders: OF_AN_UPLOAD,
		field: {
			typeOptions: { rows: 2 },
			placeholder: 'e.g. {"name": "{file_name}", "type": "{content_type}", "size": "{file_size}"}',
		},
		parse: parseTemplate,
	},
	uploadUrlField: {
		label: 'Upload URL Field',
		group: 'signedUploads',
		shownWith: 'uploadUrlEndpoint',
		description:
			'The field, in the response of Upload URL Endpoint, that contains the signed URL. Enter a name, which is found anywhere in the response, or a path with dots, which is followed exactly',
		lookAt: 'the field that contains the URL, in the response with the signed upload URL',
		field: { placeholder: 'e.g. url or data.files[0].url' },
		parse: parseFieldPath,
	},
	uploadHeadersField: {
		label: 'Upload Headers Field',
		group: 'signedUploads',
		shownWith: 'uploadUrlEndpoint',
		description:
			'The field, in the response of Upload URL Endpoint, that contains an object with the headers to send with the file. Leave it empty if there is none',
		lookAt: 'the field with the headers for the file, in the response with the signed upload URL',
		emptyIf: 'the response contains no headers for the upload',
		field: { placeholder: 'e.g. headers or data.files[0].headers' },
		parse: parseFieldPath,
	},
	confirmMethod: {
		label: 'Confirm Method',
		group: 'signedUploads',
		description: 'The HTTP method of the request that confirms an upload',
		lookAt: 'the method of the endpoint whose path ends with /documents/confirm',
		field: {
			type: 'options',
			options: [
				{ name: 'Not Set', value: '' },
				{ name: 'PATCH', value: 'PATCH' },
				{ name: 'POST', value: 'POST' },
				{ name: 'PUT', value: 'PUT' },
			],
		},
		parse: parseConfirmMethod,
	},
	confirmBody: {
		label: 'Confirm Body',
		group: 'signedUploads',
		shownWith: 'confirmMethod',
		description:
			"The JSON body of the confirmation request, with {document_id} in place of the document's ID. If the body contains a list of documents, enter the list with a single entry: the node repeats that entry for each document. You can also use the placeholders of Upload URL Body",
		lookAt: 'the JSON body of the endpoint whose path ends with /documents/confirm',
		placeholders: ['document_id', ...OF_AN_UPLOAD],
		field: { typeOptions: { rows: 2 }, placeholder: 'e.g. {"ids": ["{document_id}"]}' },
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
	(detail) => API_DETAILS[detail].group === 'signedUploads',
);

/** Their labels in quotes, for a message. */
export function labelsOf(details: ApiDetail[], separator: string): string {
	return details.map((detail) => `'${API_DETAILS[detail].label}'`).join(separator);
}

/**
 * The text of an API Detail; empty where the user has left it so, has entered nothing but quotation
 * marks, or has switched its group off: n8n hands on no field that it does not show.
 */
export function enteredText(credential: DocumentExtractionCredential, detail: ApiDetail): string {
	const text = String(credential[detail] ?? '').trim();
	return unquoted(text) === '' ? '' : text;
}

/** The error about an API Detail that an operation cannot do without. */
export function emptyError(detail: ApiDetail): UserError {
	return detailError(detail, 'is empty, and this step needs it', howToFillIn(detail));
}

/** The error about an API Detail that is wrong. */
export function detailError(
	detail: ApiDetail,
	what: string,
	description = howToCorrect(detail),
): UserError {
	return new UserError(`The credential's field '${API_DETAILS[detail].label}' ${what}`, {
		description,
	});
}

/** Tells the user to fill in an API Detail: where its field is, and where to look for its value. */
export function howToFillIn(detail: ApiDetail): string {
	const { label, group } = API_DETAILS[detail];
	const way = group ? `, switch on '${DETAIL_GROUPS[group].label}'` : '';
	return `Open the credential${way} and fill in '${label}'. ${whereFrom(detail)}`;
}

/** Tells the user to correct an API Detail that is filled in. */
export function howToCorrect(detail: ApiDetail): string {
	return `Open the credential and correct '${API_DETAILS[detail].label}'. ${whereFrom(detail)}`;
}

/** Where the user finds the value of an API Detail, as one sentence. */
export const whereToLook = (detail: ApiDetail) =>
	`In your API reference, look for ${API_DETAILS[detail].lookAt}.`;

function whereFrom(detail: ApiDetail): string {
	const { label, lookAt } = API_DETAILS[detail];
	return `To see what to enter, add another Document Extraction node, and execute it with the operation Workflow › Check Setup: its item '${label}' tells you, or lists what to choose from. If that does not help, ask your account team for this part of the API reference: ${lookAt}.`;
}
