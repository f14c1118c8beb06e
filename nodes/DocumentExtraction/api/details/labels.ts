/**
 * What the service's interface leaves open, and how each such detail is called to the user: in the
 * credential window, in messages and in Workflow › Check Setup.
 */

/** The groups of API Details that the credential window shows behind a switch of their own. */
export const DETAIL_GROUPS: Record<DetailGroup, GroupTexts> = {
	responseFields: {
		switch: 'useResponseFields',
		label: 'Set Up One Row per Document',
	},
	waitingAndLists: {
		switch: 'useWaitingAndLists',
		label: 'Set Up Faster Waiting and Lists',
		unneeded: 'it makes waiting faster, and fills lists to choose from',
	},
	signedUploads: {
		switch: 'useSignedUploads',
		label: 'Set Up Signed Uploads for Large Files',
		unneeded: 'it is for signed uploads of large files',
	},
};

export type DetailGroup = 'responseFields' | 'waitingAndLists' | 'signedUploads';

interface GroupTexts {
	/** The name of the switch's field. */
	switch: string;
	label: string;
	/** What it is for, where flows do without it. */
	unneeded?: string;
}

interface DetailTexts {
	label: string;
	/** Undefined for those that everybody sees. */
	group?: DetailGroup;
	/** The way through the account's API reference to what is to be copied. */
	lookAt: string;
	/** When there is nothing to fill in, and an empty field is right. */
	emptyIf?: string;
}

export type ApiDetail =
	| 'uploadFileField'
	| 'workflowEndpoint'
	| 'finishedStatuses'
	| 'uploadUrlEndpoint'
	| 'uploadUrlBody'
	| 'uploadUrlField'
	| 'uploadHeadersField'
	| 'confirmMethod'
	| 'confirmBody'
	| 'documentIdField'
	| 'valuesField'
	| 'columnNameField'
	| 'columnValueField';

/** In the order in which users need them: uploads, rows, waiting, signed uploads. */
export const API_DETAILS: Record<ApiDetail, DetailTexts> = {
	uploadFileField: {
		label: 'Upload File Field',
		lookAt: 'the upload endpoint (POST …/documents) › the form field for the file',
	},
	documentIdField: {
		label: 'Document ID Field',
		lookAt: 'the upload endpoint › its response › the ID of the document',
	},
	valuesField: {
		label: 'Values Field',
		group: 'responseFields',
		lookAt: 'the endpoint that lists extractions › an entry of items › what holds the values',
	},
	columnNameField: {
		label: 'Column Name Field',
		group: 'responseFields',
		lookAt: 'the endpoint that lists extractions › one value › what names its column',
	},
	columnValueField: {
		label: 'Column Value Field',
		group: 'responseFields',
		lookAt: 'the endpoint that lists extractions › one value › what holds the value itself',
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
			'the endpoint that lists documents › extraction_status › its values for done and for failed',
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
	uploadHeadersField: {
		label: 'Upload Headers Field',
		group: 'signedUploads',
		lookAt:
			'the endpoint that returns a signed upload URL › its response › the field that holds the headers to upload with, if there is one',
		emptyIf: 'the response names no headers for the upload',
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
};

export const ALL_DETAILS = Object.keys(API_DETAILS) as ApiDetail[];

/** Where results hold the values of columns. */
export const RESULT_DETAILS: ApiDetail[] = ['valuesField', 'columnNameField', 'columnValueField'];

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
