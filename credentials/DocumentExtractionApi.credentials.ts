import type {
	IAuthenticate,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { assertServiceOrigin, bearerKey } from '../nodes/DocumentExtraction/transport/credential';

/** n8n's HTTP Request node names the address `uri` where other callers name it `url`. */
type OutgoingRequest = IHttpRequestOptions & { uri?: string };

const apiDetail = (property: INodeProperties): INodeProperties => ({
	...property,
	displayOptions: { show: { showApiDetails: [true] } },
});

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
				"The service's address for this environment. Your account team supplies it; the live address may differ from the test address.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'From the API settings of your account. A test key has _test_ in it, a live key _live_.',
		},
		{
			displayName: 'Workflow ID',
			name: 'workflowId',
			type: 'string',
			required: true,
			default: '',
			description:
				"From the workflow's page in your account. Every operation uses this workflow, unless its options name another one.",
		},
		{
			displayName: 'Set API Details',
			name: 'showApiDetails',
			type: 'boolean',
			default: false,
			description:
				"Whether to enter details that differ by account, copied from your account's API reference. To extract from files you need one: Upload File Field.",
		},
		apiDetail({
			displayName:
				"Fill in what you use, leave the rest empty. Each field says where in your account's API reference to look; an operation that needs an empty field tells you so before it sends anything.",
			name: 'apiDetailsNotice',
			type: 'notice',
			default: '',
		}),
		apiDetail({
			displayName: 'Upload File Field',
			name: 'uploadFileField',
			type: 'string',
			default: '',
			placeholder: 'e.g. file',
			description:
				'For direct uploads. In the API reference: the upload endpoint (POST …/documents), its multipart/form-data body, the name of the field that carries the file.',
		}),
		apiDetail({
			displayName: 'Workflow Endpoint',
			name: 'workflowEndpoint',
			type: 'string',
			default: '',
			placeholder: 'e.g. GET /path/to/{workflow_id}',
			description:
				'For Workflow › Get, for waiting, and to choose collections and columns from lists. In the API reference: the endpoint that returns the workflow with its columns, as METHOD /path after /api/v1.',
		}),
		apiDetail({
			displayName: 'Document ID Field',
			name: 'documentIdField',
			type: 'string',
			default: 'document_id',
			placeholder: 'e.g. document_id or data.document.id',
			description:
				"Where an answer to an upload names the document. A bare name is found wherever it stands in the answer; a path with dots is taken literally, e.g. 'data.files[0].id'.",
		}),
		apiDetail({
			displayName: 'Finished Statuses',
			name: 'finishedStatuses',
			type: 'string',
			default: '',
			placeholder: 'e.g. status one, status two',
			description:
				"For waiting, optional: the values of a document's 'extraction_status' that mean that its extraction is over (done or failed), separated by commas. In the API reference: the endpoint that lists documents.",
		}),
		apiDetail({
			displayName: 'Upload URL Endpoint',
			name: 'uploadUrlEndpoint',
			type: 'string',
			default: '',
			placeholder: 'e.g. POST /path/with/{workflow_id}',
			description:
				'For signed uploads (large files). In the API reference: the endpoint that returns a signed upload URL, as METHOD /path after /api/v1.',
		}),
		apiDetail({
			displayName: 'Upload URL Body',
			name: 'uploadUrlBody',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. {"name": "{file_name}", "type": "{content_type}", "size": "{file_size}"}',
			description:
				'For signed uploads: the JSON body of that endpoint, with these placeholders where the values go: {file_name}, {content_type}, {file_size}, {workflow_id}, {collection_id}, {collection_name}. Leave it empty if the endpoint takes no body.',
		}),
		apiDetail({
			displayName: 'Upload URL Field',
			name: 'uploadUrlField',
			type: 'string',
			default: '',
			placeholder: 'e.g. url or data.files[0].url',
			description:
				'For signed uploads: where the answer of that endpoint holds the signed URL. A bare name is found wherever it stands; a path with dots is taken literally.',
		}),
		apiDetail({
			displayName: 'Confirm Method',
			name: 'confirmMethod',
			type: 'options',
			options: [
				{ name: 'Not Set', value: '' },
				{ name: 'PATCH', value: 'PATCH' },
				{ name: 'POST', value: 'POST' },
				{ name: 'PUT', value: 'PUT' },
			],
			default: '',
			description:
				'For signed uploads. In the API reference: the method of the endpoint whose path ends with /documents/confirm.',
		}),
		apiDetail({
			displayName: 'Confirm Body',
			name: 'confirmBody',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. {"ids": ["{document_id}"]}',
			description:
				'For signed uploads: the JSON body of that endpoint, with {document_id} and, where needed, the placeholders of Upload URL Body. A list whose one entry mentions {document_id} is repeated for each document, so that many files need one call.',
		}),
	];

	authenticate: IAuthenticate = async (credentials, requestOptions) => {
		const request: OutgoingRequest = requestOptions;
		const target = request.url ?? request.uri ?? '';
		const isAbsolute = /^([a-z][a-z\d+.-]*:)?\/\//i.test(target);
		assertServiceOrigin(
			credentials.baseUrl,
			isAbsolute ? target : `${request.baseURL ?? ''}${target}`,
		);
		return {
			...request,
			headers: { ...request.headers, Authorization: `Bearer ${bearerKey(credentials)}` },
			sendCredentialsOnCrossOriginRedirect: false,
		};
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL:
				'={{ $credentials.baseUrl.trim().replace(/\\/+$/, "").replace(/\\/api\\/v1$/, "") }}/api/v1',
			url: '=/workflows/{{ encodeURIComponent($credentials.workflowId.trim()) }}/extractions',
			qs: { limit: 1 },
			disableFollowRedirect: true,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message:
						"The service refused the API key (401). Check that 'API Key' is complete, belongs to this environment, is not revoked and may read the workflow.",
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 403,
					message:
						"The service refused the API key (403). Check that 'API Key' belongs to this environment, is not revoked and may read the workflow (scope).",
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message:
						"The service does not know this workflow (404). Check 'Workflow ID', that it belongs to the chosen environment (test and live workflows have different IDs), and 'Base URL'.",
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 422,
					message: "The service does not accept this 'Workflow ID' (422). Copy it again.",
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 429,
					message:
						'The service received too many requests (429). The settings may be right: try again in a minute.',
				},
			},
			{
				type: 'responseSuccessBody',
				properties: {
					key: 'items',
					value: undefined,
					message:
						"The address answered, but not as the extraction service does: probably a web page or a proxy. Check 'Base URL'.",
				},
			},
			// n8n checks rules of both kinds, one after the other; its type wants an array of one kind.
		] as ICredentialTestRequest['rules'],
	};
}
