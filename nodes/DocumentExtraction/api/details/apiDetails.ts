/**
 * What the service's interface leaves open, and how each such detail is called to the user. The
 * credential window, messages, readiness and Workflow › Check Setup derive from this table: to add an
 * API Detail, begin here.
 */
import type { INodeProperties } from 'n8n-workflow';

/** The groups of API Details that the credential window shows behind a switch of their own. */
export const DETAIL_GROUPS: Record<DetailGroup, GroupTexts> = {
	responseFields: {
		switch: 'useResponseFields',
		label: 'Set Up One Row per Document',
		description:
			"Whether to tell the node where the service's results hold the values, for one item per document with a field for each column",
		hint: 'For tables: a field for each column. Until you set this up, you get raw JSON.',
	},
	waitingAndLists: {
		switch: 'useWaitingAndLists',
		label: 'Set Up Faster Waiting and Lists',
		description:
			'Whether to tell the node how to see that an extraction is finished, and how to list collections and columns to choose from',
		hint: 'Optional: without it, the node waits for results, and you enter IDs instead of choosing',
		unneeded: 'it makes waiting faster, and fills lists to choose from',
	},
	signedUploads: {
		switch: 'useSignedUploads',
		label: 'Set Up Signed Uploads for Large Files',
		description: 'Whether to send large files straight to storage, to URLs that the service signs',
		hint: 'For large files. Fill in all that appears; only Upload URL Body and Upload Headers Field may stay empty.',
		unneeded: 'it is for signed uploads of large files',
	},
};

export type DetailGroup = 'responseFields' | 'waitingAndLists' | 'signedUploads';

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

export type Placeholder =
	| 'workflow_id'
	| 'document_id'
	| 'collection_id'
	| 'collection_name'
	| 'file_name'
	| 'content_type'
	| 'file_size';

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
	group?: DetailGroup;
	/** A field without which this one has no use: it appears once that one is filled in. */
	neededWith?: string;
	/** What to enter. */
	description: string;
	/** The way through the account's API reference to what is to be copied. */
	lookAt: string;
	/** When there is nothing to fill in, and an empty field is right. */
	emptyIf?: string;
	/** What it may contain. */
	placeholders?: Placeholder[];
	/** Whether one value is right, and those to choose from are written as it is. */
	isOneValue?: true;
	/** The rest of the field in the credential window; a text by default. */
	field: Partial<INodeProperties>;
}

const TABLE = {
	uploadFileField: {
		label: 'Upload File Field',
		description:
			"The form field that carries the file in an upload. You can paste the part of a curl command that sends the file, e.g. -F 'file=@invoice.pdf'",
		lookAt: 'the upload endpoint (POST …/documents) › the form field for the file',
		isOneValue: true,
		field: {
			placeholder: 'e.g. file',
			hint: "Save first: the node's <b>Workflow › Check Setup</b> then finds this field and those below",
		},
	},
	documentIdField: {
		label: 'Document ID Field',
		description:
			"Change it only if Check Setup says so. A bare name is found anywhere in the response; a path with dots is followed exactly, e.g. 'data.files[0].id'",
		lookAt: 'the upload endpoint › its response › the ID of the document',
		isOneValue: true,
		field: { default: 'document_id', placeholder: 'e.g. document_id or data.document.id' },
	},
	valuesField: {
		label: 'Values Field',
		group: 'responseFields',
		description:
			'The field of a result that holds the values: an object with a value for each column, or a list with an entry for each column. Leave it empty if each result is the value of one column',
		lookAt: 'the endpoint that lists extractions › an entry of items › what holds the values',
		field: { placeholder: 'e.g. values or data.values' },
	},
	columnNameField: {
		label: 'Column Name Field',
		group: 'responseFields',
		description:
			'Only if results have an entry for each column: the field that names the column. Column Value Field then appears. Otherwise leave it empty',
		lookAt: 'the endpoint that lists extractions › one value › what names its column',
		field: { placeholder: 'e.g. name' },
	},
	columnValueField: {
		label: 'Column Value Field',
		group: 'responseFields',
		neededWith: 'columnNameField',
		description: 'Only if results have an entry for each column: the field that holds its value',
		lookAt: 'the endpoint that lists extractions › one value › what holds the value itself',
		field: { placeholder: 'e.g. value' },
	},
	workflowEndpoint: {
		label: 'Workflow Endpoint',
		group: 'waitingAndLists',
		description:
			'For lists to choose from, for waiting, and for Workflow › Get: method and path as your API reference prints them. Leave {workflow_id} as it is',
		lookAt: 'the endpoint that returns the workflow with its columns › its method and path',
		placeholders: ['workflow_id'],
		isOneValue: true,
		field: { placeholder: 'e.g. GET /path/to/{workflow_id}' },
	},
	finishedStatuses: {
		label: 'Finished Statuses',
		group: 'waitingAndLists',
		description:
			"For waiting: all values of a document's 'extraction_status' that mean that its extraction is over, separated by commas",
		lookAt:
			'the endpoint that lists documents › extraction_status › its values for done and for failed',
		field: { placeholder: 'e.g. status one, status two' },
	},
	uploadUrlEndpoint: {
		label: 'Upload URL Endpoint',
		group: 'signedUploads',
		description: 'Method and path as your API reference prints them',
		lookAt: 'the endpoint that returns a signed upload URL › its method and path',
		placeholders: OF_AN_UPLOAD,
		isOneValue: true,
		field: { placeholder: 'e.g. POST /path/with/{workflow_id}' },
	},
	uploadUrlBody: {
		label: 'Upload URL Body',
		group: 'signedUploads',
		neededWith: 'uploadUrlEndpoint',
		description:
			'The JSON body, with a placeholder in place of each example: {file_name} {content_type} {file_size} {workflow_id} {collection_id} {collection_name}. Leave it empty if the endpoint takes no body',
		lookAt: 'the endpoint that returns a signed upload URL › its JSON body',
		placeholders: OF_AN_UPLOAD,
		field: {
			typeOptions: { rows: 2 },
			placeholder: 'e.g. {"name": "{file_name}", "type": "{content_type}", "size": "{file_size}"}',
		},
	},
	uploadUrlField: {
		label: 'Upload URL Field',
		group: 'signedUploads',
		neededWith: 'uploadUrlEndpoint',
		description:
			'A bare name is found anywhere in the response; a path with dots is followed exactly',
		lookAt:
			'the endpoint that returns a signed upload URL › its response › the field that holds the URL',
		isOneValue: true,
		field: { placeholder: 'e.g. url or data.files[0].url' },
	},
	uploadHeadersField: {
		label: 'Upload Headers Field',
		group: 'signedUploads',
		neededWith: 'uploadUrlEndpoint',
		description:
			'The field of the response that holds the headers to send with the file, as an object. Leave it empty if there is none',
		lookAt:
			'the endpoint that returns a signed upload URL › its response › the field that holds the headers to upload with, if there is one',
		emptyIf: 'the response names no headers for the upload',
		field: { placeholder: 'e.g. headers or data.files[0].headers' },
	},
	confirmMethod: {
		label: 'Confirm Method',
		group: 'signedUploads',
		description: 'How uploaded files are confirmed',
		lookAt: 'the endpoint whose path ends with /documents/confirm › its method',
		isOneValue: true,
		field: {
			type: 'options',
			options: [
				{ name: 'Not Set', value: '' },
				{ name: 'PATCH', value: 'PATCH' },
				{ name: 'POST', value: 'POST' },
				{ name: 'PUT', value: 'PUT' },
			],
		},
	},
	confirmBody: {
		label: 'Confirm Body',
		group: 'signedUploads',
		neededWith: 'confirmMethod',
		description:
			"The JSON body, with {document_id} in place of the document's ID. In a list, that entry is repeated for each document. The placeholders of Upload URL Body work here too",
		lookAt: 'the endpoint whose path ends with /documents/confirm › its JSON body',
		placeholders: ['document_id', ...OF_AN_UPLOAD],
		field: { typeOptions: { rows: 2 }, placeholder: 'e.g. {"ids": ["{document_id}"]}' },
	},
} satisfies Record<string, DetailEntry>;

export type ApiDetail = keyof typeof TABLE;

/** In the order in which users need them: uploads, rows, waiting, signed uploads. */
export const API_DETAILS: Record<ApiDetail, DetailEntry> = TABLE;

export const ALL_DETAILS = Object.keys(TABLE) as ApiDetail[];

const inGroup = (group: DetailGroup) =>
	ALL_DETAILS.filter((detail) => API_DETAILS[detail].group === group);

/** Where results hold the values of columns. */
export const RESULT_DETAILS = inGroup('responseFields');

/** What a signed upload is made by. */
export const SIGNED_DETAILS = inGroup('signedUploads');

/** Tells the user to fill in an API Detail: where its field is, and where to look for its value. */
export function howToFillIn(detail: ApiDetail): string {
	const { label, group, lookAt } = API_DETAILS[detail];
	const way = group ? `, switch on '${DETAIL_GROUPS[group].label}'` : '';
	return `Open the credential${way} and fill in '${label}'. ${whereFrom(lookAt)}`;
}

/** Tells the user to correct an API Detail that is filled in. */
export function howToCorrect(detail: ApiDetail): string {
	const { label, lookAt } = API_DETAILS[detail];
	return `Open the credential and correct '${label}'. ${whereFrom(lookAt)}`;
}

const whereFrom = (lookAt: string) =>
	`Workflow › Check Setup says what to enter. Or look in your account's API reference at: ${lookAt}.`;
