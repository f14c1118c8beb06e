import type {
	IAuthenticate,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { authenticated } from '../nodes/DocumentExtraction/api/authenticate';
import {
	WORKFLOW_ID_LABEL,
	type DocumentExtractionCredential,
} from '../nodes/DocumentExtraction/api/credential';
import {
	API_DETAILS,
	DETAIL_GROUPS,
	type ApiDetail,
	type DetailGroup,
} from '../nodes/DocumentExtraction/api/details/labels';

const API_DETAILS_PAGE =
	'https://github.com/n8n-nodes-document-extraction/n8n-nodes-document-extraction/blob/main/docs/api-details.md';

const ACCOUNT = 'your account at the extraction service';

/** A field whose value the user copies from the account's API reference. */
const detail = (name: ApiDetail, field: Partial<INodeProperties>): INodeProperties => {
	const { label, group, lookAt } = API_DETAILS[name];
	return {
		displayName: label,
		name,
		type: 'string',
		default: '',
		hint: `Look at: ${lookAt}`,
		...(group && shownWith(group)),
		...field,
	};
};

const shownWith = (group: DetailGroup) => ({
	displayOptions: { show: { [DETAIL_GROUPS[group].switch]: [true] } },
});

const groupSwitch = (group: DetailGroup, description: string): INodeProperties => ({
	displayName: DETAIL_GROUPS[group].label,
	name: DETAIL_GROUPS[group].switch,
	type: 'boolean',
	default: false,
	description,
});

const groupNotice = (group: DetailGroup, text: string): INodeProperties => ({
	displayName: `${text} <a href="${API_DETAILS_PAGE}" target="_blank">How to find these API Details, with an example</a>`,
	name: `${group}Notice`,
	type: 'notice',
	default: '',
	...shownWith(group),
});

const REFUSED_KEY =
	"Check that 'API Key' is complete, belongs to this environment, is not revoked and may read the workflow";
const REDIRECT =
	"n8n does not follow redirects, so that the API key is sent to 'Base URL' only. Enter the final address there.";
const TRY_LATER = 'The settings may be right: try again later.';

/** What a status means where nothing but the credential can be wrong. */
const MEANINGS: Array<[status: number, meaning: string]> = [
	...[301, 302, 303, 307, 308].map((status): [number, string] => [
		status,
		`The address in 'Base URL' redirects to another one (${status}). ${REDIRECT}`,
	]),
	[
		400,
		`The service does not accept the request (400). Check '${WORKFLOW_ID_LABEL}' and 'Base URL'.`,
	],
	[
		401,
		`The API key was refused (401). ${REFUSED_KEY}. Check 'Base URL' too: another program may be running there.`,
	],
	[
		403,
		`The API key was refused (403). ${REFUSED_KEY}. A proxy or firewall on the way may refuse requests as well.`,
	],
	[
		404,
		`The service does not know this workflow (404). Check '${WORKFLOW_ID_LABEL}' (the ID of a workflow at the extraction service, not in n8n), that it belongs to the chosen environment, and 'Base URL'.`,
	],
	[422, `The service does not accept this '${WORKFLOW_ID_LABEL}' (422). Copy it again.`],
	[
		429,
		'The service received too many requests (429). The settings may be right: try again in a minute.',
	],
	[500, `The service failed to respond (500). ${TRY_LATER}`],
	...[502, 503, 504].map((status): [number, string] => [
		status,
		`The service, or a proxy before it, could not respond (${status}). ${TRY_LATER}`,
	]),
];

export class DocumentExtractionApi implements ICredentialType {
	name = 'documentExtractionApi';

	displayName = 'Document Extraction API';

	icon: Icon = {
		light: 'file:../icons/documentExtraction.svg',
		dark: 'file:../icons/documentExtraction.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-document-extraction/n8n-nodes-document-extraction#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Environment',
			name: 'environment',
			type: 'options',
			options: [
				{
					name: 'Test',
					value: 'test',
					description: 'Try uploads and extractions without touching production data',
				},
				{ name: 'Live', value: 'live', description: 'Work on production data' },
			],
			default: 'test',
			description:
				'The environment that the key and the workflow belong to. A test key does not work with a live workflow, nor the other way round.',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description:
				"The extraction service's address for this environment. The live address may differ from the test address.",
			hint: 'From your account team at the extraction service',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'A key of the chosen environment: a test key contains _test_, a live key _live_',
			hint: `From the API settings of ${ACCOUNT}`,
		},
		{
			displayName: WORKFLOW_ID_LABEL,
			name: 'workflowId',
			type: 'string',
			required: true,
			default: '',
			description:
				'The workflow at the extraction service that your documents go to. This is not an n8n workflow. Every operation uses it, unless its options name another one.',
			hint: `From the workflow's page in ${ACCOUNT}, not from n8n`,
		},
		detail('uploadFileField', {
			placeholder: 'e.g. file',
			description:
				"To extract from files: what the service calls the form field that carries the file. You can paste the part of a curl command that sends the file, e.g. -F 'file=@invoice.pdf'.",
		}),
		groupSwitch(
			'waitingAndLists',
			'Whether to tell the node how to see that an extraction is finished, and how to list collections and columns to choose from',
		),
		groupNotice(
			'waitingAndLists',
			'Both are optional: without them the node waits for results, and you enter IDs instead of choosing from lists.',
		),
		detail('workflowEndpoint', {
			placeholder: 'e.g. GET /path/to/{workflow_id}',
			description:
				'For lists to choose from, for waiting, and for Workflow › Get: method and path as your API reference prints them. Leave {workflow_id} as it is.',
		}),
		detail('finishedStatuses', {
			placeholder: 'e.g. status one, status two',
			description:
				"For waiting: all values of a document's 'extraction_status' that mean that its extraction is over, separated by commas",
		}),
		groupSwitch(
			'signedUploads',
			'Whether to send large files straight to storage, to addresses that the service signs for each file',
		),
		groupNotice(
			'signedUploads',
			'Fill in all of these; only Upload URL Body may stay empty, if the endpoint takes none.',
		),
		detail('uploadUrlEndpoint', {
			placeholder: 'e.g. POST /path/with/{workflow_id}',
			description: 'Method and path as your API reference prints them',
		}),
		detail('uploadUrlBody', {
			typeOptions: { rows: 4 },
			placeholder: 'e.g. {"name": "{file_name}", "type": "{content_type}", "size": "{file_size}"}',
			description:
				'The JSON body, with a placeholder in place of each example: {file_name} {content_type} {file_size} {workflow_id} {collection_id} {collection_name}. Leave it empty if the endpoint takes no body.',
		}),
		detail('uploadUrlField', {
			placeholder: 'e.g. url or data.files[0].url',
			description:
				'A bare name is found anywhere in the response; a path with dots is followed exactly',
		}),
		detail('confirmMethod', {
			type: 'options',
			options: [
				{ name: 'Not Set', value: '' },
				{ name: 'PATCH', value: 'PATCH' },
				{ name: 'POST', value: 'POST' },
				{ name: 'PUT', value: 'PUT' },
			],
			description: 'How uploaded files are confirmed',
		}),
		detail('confirmBody', {
			typeOptions: { rows: 4 },
			placeholder: 'e.g. {"ids": ["{document_id}"]}',
			description:
				"The JSON body, with {document_id} in place of the document's ID. In a list, that entry is repeated for each document. The placeholders of Upload URL Body work here too.",
		}),
		groupSwitch(
			'responseFields',
			"Whether to tell the node where the service's responses hold document IDs, and the values for a table with one row per document",
		),
		groupNotice(
			'responseFields',
			'For one row per document: Values Field alone, if a result holds the values by column name. All three, if it holds a list with an entry for each column. The two Column fields alone, if each result is such an entry.',
		),
		detail('documentIdField', {
			default: 'document_id',
			placeholder: 'e.g. document_id or data.document.id',
			description:
				"A bare name is found anywhere in the response; a path with dots is followed exactly, e.g. 'data.files[0].id'",
		}),
		detail('valuesField', {
			placeholder: 'e.g. values or data.values',
			description:
				'The field of a result that holds the values: an object with a value for each column, or a list with an entry for each column',
		}),
		detail('columnNameField', {
			placeholder: 'e.g. name',
			description: 'Only where there is an entry for each column: the field that names the column',
		}),
		detail('columnValueField', {
			placeholder: 'e.g. value',
			description: 'Only where there is an entry for each column: the field that holds its value',
		}),
	];

	authenticate: IAuthenticate = async (credentials, request) =>
		authenticated(credentials as DocumentExtractionCredential, request);

	/** Reads one extraction: the cheapest call whose interface is shown whole (interface.md §4.5). */
	test: ICredentialTestRequest = {
		request: {
			// By this `authenticate` knows the test, and completes the address.
			baseURL: '={{ $credentials.baseUrl }}',
			url: '=/workflows/{{ encodeURIComponent($credentials.workflowId.trim()) }}/extractions',
			qs: { limit: 1 },
			headers: { Accept: 'application/json' },
		},
		rules: [
			...MEANINGS.map(([value, message]) => ({
				type: 'responseCode',
				properties: { value, message },
			})),
			{
				type: 'responseSuccessBody',
				properties: {
					key: 'total',
					value: undefined,
					message:
						"The address responded, but not as the extraction service does: probably a web page or a proxy. Check 'Base URL'.",
				},
			},
			// The type says all of one kind; n8n takes both, and reads each by its own.
		] as ICredentialTestRequest['rules'],
	};
}
