import type {
	IAuthenticate,
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { assertServiceOrigin, bearerKey } from '../nodes/DocumentExtraction/transport/credential';
import { assertServiceAnswers } from '../nodes/DocumentExtraction/transport/credentialProbe';

/** n8n's HTTP Request node names the address `uri` where other callers name it `url`. */
type OutgoingRequest = IHttpRequestOptions & { uri?: string };

/** A header that never leaves n8n. */
const TEST_MARK = 'x-credential-test';

const helpersFor = new WeakMap<ICredentialDataDecryptedObject, IHttpRequestHelper>();

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
				"The service's address for this environment; the live address may differ from the test address",
			hint: 'From your account team',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'A key of the chosen environment: a test key has _test_ in it, a live key _live_',
			hint: 'From the API settings of your account',
		},
		{
			displayName: 'Workflow ID',
			name: 'workflowId',
			type: 'string',
			required: true,
			default: '',
			description: 'Every operation uses this workflow, unless its options name another one',
			hint: "From the workflow's page in your account",
		},
		{
			displayName: 'Set API Details',
			name: 'showApiDetails',
			type: 'boolean',
			default: false,
			description:
				"Whether to enter details that differ by account, copied from your account's API reference",
			hint: 'Switched off, none of them is used. Reading results works without. To extract from files, switch this on and fill in Upload File Field.',
		},
		apiDetail({
			displayName:
				"Fill in what you use, leave the rest empty. The text below each field says where in your account's API reference to look. An operation that needs an empty field tells you so before it sends anything.",
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
			description: 'For direct uploads: the name of the form field that carries the file',
			hint: 'Look at: upload endpoint (POST …/documents) › its multipart/form-data body › the field for the file',
		}),
		apiDetail({
			displayName: 'Workflow Endpoint',
			name: 'workflowEndpoint',
			type: 'string',
			default: '',
			placeholder: 'e.g. GET /path/to/{workflow_id}',
			description:
				'For Workflow › Get, for waiting, and to choose collections and columns from lists: METHOD /path, without /api/v1',
			hint: 'Look at: the endpoint that returns the workflow with its columns › its method and path',
		}),
		apiDetail({
			displayName: 'Document ID Field',
			name: 'documentIdField',
			type: 'string',
			default: 'document_id',
			placeholder: 'e.g. document_id or data.document.id',
			description:
				"Where an answer to an upload names the document. A bare name is found wherever it stands in the answer; a path with dots is taken literally, e.g. 'data.files[0].id'.",
			hint: 'Look at: upload endpoint › its answer › the field that holds the ID of the document',
		}),
		apiDetail({
			displayName: 'Finished Statuses',
			name: 'finishedStatuses',
			type: 'string',
			default: '',
			placeholder: 'e.g. status one, status two',
			description:
				"For waiting, optional: the values of a document's 'extraction_status' that mean that its extraction is over, with commas between them",
			hint: 'Look at: the endpoint that lists documents › extraction_status › the values for done and for failed',
		}),
		apiDetail({
			displayName: 'Upload URL Endpoint',
			name: 'uploadUrlEndpoint',
			type: 'string',
			default: '',
			placeholder: 'e.g. POST /path/with/{workflow_id}',
			description:
				'For signed uploads, which are made for large files: METHOD /path, without /api/v1',
			hint: 'Look at: the endpoint that returns a signed upload URL › its method and path',
		}),
		apiDetail({
			displayName: 'Upload URL Body',
			name: 'uploadUrlBody',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. {"name": "{file_name}", "type": "{content_type}", "size": "{file_size}"}',
			description:
				'For signed uploads: JSON with placeholders where the values go. Leave it empty if the endpoint takes no body.',
			hint: 'Look at: the same endpoint › its JSON body. In place of the values: {file_name} {content_type} {file_size} {workflow_id} {collection_id} {collection_name}',
		}),
		apiDetail({
			displayName: 'Upload URL Field',
			name: 'uploadUrlField',
			type: 'string',
			default: '',
			placeholder: 'e.g. url or data.files[0].url',
			description:
				'For signed uploads. A bare name is found wherever it stands in the answer; a path with dots is taken literally.',
			hint: 'Look at: the same endpoint › its answer › the field that holds the URL',
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
			description: 'For signed uploads: how the uploaded files are confirmed',
			hint: 'Look at: the endpoint whose path ends with /documents/confirm › its method',
		}),
		apiDetail({
			displayName: 'Confirm Body',
			name: 'confirmBody',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. {"ids": ["{document_id}"]}',
			description:
				'For signed uploads. A list whose one entry mentions {document_id} is repeated for each document, so that many files need one call. The placeholders of Upload URL Body work here too.',
			hint: 'Look at: the same endpoint › its JSON body. In place of the ID: {document_id}',
		}),
		{
			// As long as this is empty, n8n calls preAuthentication before each request.
			displayName: 'Always Empty',
			name: 'alwaysEmpty',
			type: 'hidden',
			typeOptions: { expirable: true },
			default: '',
		},
	];

	/** Only this gets n8n's helpers, and only authenticate sees whether the credential is tested. */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		helpersFor.set(credentials, this);
		return {};
	}

	authenticate: IAuthenticate = async (credentials, requestOptions) => {
		const request: OutgoingRequest = requestOptions;
		const target = request.url ?? request.uri ?? '';
		const isAbsolute = /^([a-z][a-z\d+.-]*:)?\/\//i.test(target);
		assertServiceOrigin(
			credentials.baseUrl,
			isAbsolute ? target : `${request.baseURL ?? ''}${target}`,
		);
		const { [TEST_MARK]: isTest, ...headers } = request.headers ?? {};
		const signed: OutgoingRequest = {
			...request,
			headers: { ...headers, Authorization: `Bearer ${bearerKey(credentials)}` },
			sendCredentialsOnCrossOriginRedirect: false,
		};
		const helpers = isTest ? helpersFor.get(credentials) : undefined;
		// n8n's own test has only a code to say of an unreachable host, and old n8n little of answers.
		if (helpers) await assertServiceAnswers(helpers, credentials, signed);
		return signed;
	};

	/** Reads one extraction: the cheapest call whose interface is shown whole (interface.md §4.5). */
	test: ICredentialTestRequest = {
		request: {
			baseURL:
				'={{ $credentials.baseUrl.trim().replace(/\\/+$/, "").replace(/\\/api\\/v1$/, "") }}/api/v1',
			url: '=/workflows/{{ encodeURIComponent($credentials.workflowId.trim()) }}/extractions',
			qs: { limit: 1 },
			headers: { Accept: 'application/json', [TEST_MARK]: 'yes' },
			disableFollowRedirect: true,
		},
	};
}
