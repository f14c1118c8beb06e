/**
 * What the service's interface leaves open, and how each such detail is called to the user: in the
 * credential window, in messages and in Workflow › Check Setup.
 */

/** The groups of API Details that the credential window shows behind a switch of their own. */
export const DETAIL_GROUPS = {
	waitingAndLists: {
		switch: 'useWaitingAndLists',
		label: 'Set Up Faster Waiting and Lists',
	},
	signedUploads: {
		switch: 'useSignedUploads',
		label: 'Set Up Signed Uploads for Large Files',
	},
	responseFields: {
		switch: 'useResponseFields',
		label: 'Set Up Document IDs and Table Columns',
	},
} as const;

export type DetailGroup = keyof typeof DETAIL_GROUPS;

interface DetailTexts {
	label: string;
	/** Undefined for the one that everybody sees. */
	group?: DetailGroup;
	/** The way through the account's API reference to what is to be copied. */
	lookAt: string;
}

export type ApiDetail =
	| 'uploadFileField'
	| 'workflowEndpoint'
	| 'finishedStatuses'
	| 'uploadUrlEndpoint'
	| 'uploadUrlBody'
	| 'uploadUrlField'
	| 'confirmMethod'
	| 'confirmBody'
	| 'documentIdField'
	| 'valuesField'
	| 'columnNameField'
	| 'columnValueField';

export const API_DETAILS: Record<ApiDetail, DetailTexts> = {
	uploadFileField: {
		label: 'Upload File Field',
		lookAt:
			'the upload endpoint (POST …/documents) › its multipart/form-data body › the name of the field for the file',
	},
	workflowEndpoint: {
		label: 'Workflow Endpoint',
		group: 'waitingAndLists',
		lookAt: 'the endpoint that returns the workflow with its columns › its method and path',
	},
	finishedStatuses: {
		label: 'Finished Statuses',
		group: 'waitingAndLists',
		lookAt:
			'the endpoint that lists documents › extraction_status › the values for done and for failed',
	},
	uploadUrlEndpoint: {
		label: 'Upload URL Endpoint',
		group: 'signedUploads',
		lookAt: 'the endpoint that returns a signed upload URL › its method and path',
	},
	uploadUrlBody: {
		label: 'Upload URL Body',
		group: 'signedUploads',
		lookAt: 'the endpoint that returns a signed upload URL › its JSON body',
	},
	uploadUrlField: {
		label: 'Upload URL Field',
		group: 'signedUploads',
		lookAt:
			'the endpoint that returns a signed upload URL › its response › the field that holds the URL',
	},
	confirmMethod: {
		label: 'Confirm Method',
		group: 'signedUploads',
		lookAt: 'the endpoint whose path ends with /documents/confirm › its method',
	},
	confirmBody: {
		label: 'Confirm Body',
		group: 'signedUploads',
		lookAt: 'the endpoint whose path ends with /documents/confirm › its JSON body',
	},
	documentIdField: {
		label: 'Document ID Field',
		group: 'responseFields',
		lookAt: 'the upload endpoint › its response › the field that holds the ID of the document',
	},
	valuesField: {
		label: 'Values Field',
		group: 'responseFields',
		lookAt:
			'the endpoint that lists extractions › an entry of items › the field that holds the extracted values',
	},
	columnNameField: {
		label: 'Column Name Field',
		group: 'responseFields',
		lookAt:
			'the endpoint that lists extractions › one extracted value › the field that names its column',
	},
	columnValueField: {
		label: 'Column Value Field',
		group: 'responseFields',
		lookAt:
			'the endpoint that lists extractions › one extracted value › the field that holds the value itself',
	},
};

export const ALL_DETAILS = Object.keys(API_DETAILS) as ApiDetail[];

/** Tells the user to fill in an API Detail: where its field is, and where to look for its value. */
export function howToFillIn(detail: ApiDetail): string {
	const { label, group, lookAt } = API_DETAILS[detail];
	const way = group ? `, switch on '${DETAIL_GROUPS[group].label}'` : '';
	return `Open the credential${way} and fill in '${label}'. In your account's API reference, look at: ${lookAt}.`;
}
