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

const ACCOUNT = 'your account at the extraction service';

/**
 * A field whose value Check Setup finds, or the user copies from the account's API reference. Where to
 * look stands in its description, to keep the window short.
 * @param neededWith a field without which this one has no use: it appears once that one is filled in
 */
const detail = (
	name: ApiDetail,
	description: string,
	field: Partial<INodeProperties>,
	neededWith?: ApiDetail,
): INodeProperties => {
	const { label, group, lookAt } = API_DETAILS[name];
	const show = {
		...(group && { [DETAIL_GROUPS[group].switch]: [true] }),
		...(neededWith && { [neededWith]: [{ _cnd: { exists: true as const } }] }),
	};
	return {
		displayName: label,
		name,
		type: 'string',
		default: '',
		description: `${description}. From Check Setup. Or look at: ${lookAt}.`,
		...(group && { displayOptions: { show } }),
		...field,
	};
};

/** A switch with its sentence under it. */
const groupSwitch = (group: DetailGroup, description: string, hint: string): INodeProperties => ({
	displayName: DETAIL_GROUPS[group].label,
	name: DETAIL_GROUPS[group].switch,
	type: 'boolean',
	default: false,
	description,
	hint,
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
		`The service refused access (403). The API key may lack the scope to read this workflow. ${REFUSED_KEY}. A proxy or firewall on the way may refuse requests as well.`,
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
				'Must match key and workflow: a test key does not work with a live workflow, or the other way round',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'From your account team, e.g. https://api.example.com',
			description:
				"The extraction service's address for this environment, from your account team there. The live address may differ from the test address. After Save, ENOTFOUND or ECONNREFUSED means that nothing answers there: check the spelling and the port.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: `From the API settings of ${ACCOUNT}`,
			description: `A key of the chosen environment, from the API settings of ${ACCOUNT}: a test key contains _test_, a live key _live_`,
		},
		{
			displayName: WORKFLOW_ID_LABEL,
			name: 'workflowId',
			type: 'string',
			required: true,
			default: '',
			placeholder: `From the workflow's page in ${ACCOUNT}, not from n8n`,
			description: `The workflow that your documents go to, from its page in ${ACCOUNT}. This is not an n8n workflow. Every operation uses it, unless its options name another one.`,
		},
		detail(
			'uploadFileField',
			"The form field that carries the file in an upload. You can paste the part of a curl command that sends the file, e.g. -F 'file=@invoice.pdf'",
			{
				placeholder: 'e.g. file',
				hint: "Save first: the node's <b>Workflow › Check Setup</b> then finds this field and those below",
			},
		),
		detail(
			'documentIdField',
			"Change it only if Check Setup says so. A bare name is found anywhere in the response; a path with dots is followed exactly, e.g. 'data.files[0].id'",
			{ default: 'document_id', placeholder: 'e.g. document_id or data.document.id' },
		),
		groupSwitch(
			'responseFields',
			"Whether to tell the node where the service's results hold the values, for one item per document with a field for each column",
			'For tables: a field for each column. Until you set this up, you get raw JSON.',
		),
		detail(
			'valuesField',
			'The field of a result that holds the values: an object with a value for each column, or a list with an entry for each column. Leave it empty if each result is the value of one column',
			{ placeholder: 'e.g. values or data.values' },
		),
		detail(
			'columnNameField',
			'Only if results have an entry for each column: the field that names the column. Column Value Field then appears. Otherwise leave it empty',
			{ placeholder: 'e.g. name' },
		),
		detail(
			'columnValueField',
			'Only if results have an entry for each column: the field that holds its value',
			{ placeholder: 'e.g. value' },
			'columnNameField',
		),
		groupSwitch(
			'waitingAndLists',
			'Whether to tell the node how to see that an extraction is finished, and how to list collections and columns to choose from',
			'Optional: without it, the node waits for results, and you enter IDs instead of choosing',
		),
		detail(
			'workflowEndpoint',
			'For lists to choose from, for waiting, and for Workflow › Get: method and path as your API reference prints them. Leave {workflow_id} as it is',
			{ placeholder: 'e.g. GET /path/to/{workflow_id}' },
		),
		detail(
			'finishedStatuses',
			"For waiting: all values of a document's 'extraction_status' that mean that its extraction is over, separated by commas",
			{ placeholder: 'e.g. status one, status two' },
		),
		groupSwitch(
			'signedUploads',
			'Whether to send large files straight to storage, to URLs that the service signs',
			'For large files. Fill in all that appears; only Upload URL Body and Upload Headers Field may stay empty.',
		),
		detail('uploadUrlEndpoint', 'Method and path as your API reference prints them', {
			placeholder: 'e.g. POST /path/with/{workflow_id}',
		}),
		detail(
			'uploadUrlBody',
			'The JSON body, with a placeholder in place of each example: {file_name} {content_type} {file_size} {workflow_id} {collection_id} {collection_name}. Leave it empty if the endpoint takes no body',
			{
				typeOptions: { rows: 2 },
				placeholder:
					'e.g. {"name": "{file_name}", "type": "{content_type}", "size": "{file_size}"}',
			},
			'uploadUrlEndpoint',
		),
		detail(
			'uploadUrlField',
			'A bare name is found anywhere in the response; a path with dots is followed exactly',
			{ placeholder: 'e.g. url or data.files[0].url' },
			'uploadUrlEndpoint',
		),
		detail(
			'uploadHeadersField',
			'The field of the response that holds the headers to send with the file, as an object. Leave it empty if there is none',
			{ placeholder: 'e.g. headers or data.files[0].headers' },
			'uploadUrlEndpoint',
		),
		detail('confirmMethod', 'How uploaded files are confirmed', {
			type: 'options',
			options: [
				{ name: 'Not Set', value: '' },
				{ name: 'PATCH', value: 'PATCH' },
				{ name: 'POST', value: 'POST' },
				{ name: 'PUT', value: 'PUT' },
			],
		}),
		detail(
			'confirmBody',
			"The JSON body, with {document_id} in place of the document's ID. In a list, that entry is repeated for each document. The placeholders of Upload URL Body work here too",
			{ typeOptions: { rows: 2 }, placeholder: 'e.g. {"ids": ["{document_id}"]}' },
			'confirmMethod',
		),
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
