import type {
	IAuthenticate,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { assertUsable } from '../nodes/DocumentExtraction/account/account';
import {
	authenticated,
	isTestOf,
	TO_TEAM,
	WORKFLOW_ID_LABEL,
	type DocumentExtractionCredential,
} from '../nodes/DocumentExtraction/account/credential';
import {
	ALL_DETAILS,
	DETAILS_LABEL,
	labelsOf,
	lineOf,
} from '../nodes/DocumentExtraction/account/apiDetails';

const ACCOUNT = 'your account at the extraction service';

const COPY_THE_KEY = `Copy the whole key again from the API settings of ${ACCOUNT}. ${TO_TEAM}`;
const IS_IT_RIGHT = [
	`Is '${WORKFLOW_ID_LABEL}' the ID from the workflow's page at the service, in the chosen environment?`,
	"If the ID is right, check 'Base URL': it looks like https://api.example.com, with nothing after that.",
	TO_TEAM,
].join(' ');
const TRY_LATER = `The settings may be right: try again later. ${TO_TEAM}`;
const NOT_THE_SERVICE = [
	'The address responded, but not as the extraction service does.',
	`Check 'Base URL'. ${TO_TEAM}`,
].join(' ');

/** Rules of the credential's test: what some statuses mean. */
const rulesFor = (statuses: number[], meaning: (status: number) => string) =>
	statuses.map((value) => ({
		type: 'responseCode',
		properties: { value, message: meaning(value) },
	}));

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
				{ name: 'Live', value: 'live', description: 'Work on production data' },
				{
					name: 'Test',
					value: 'test',
					description: 'Try uploads and extractions without touching production data',
				},
			],
			default: 'test',
			description:
				'Must match the API key and the workflow: test keys do not work with live workflows',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			hint: [
				'From your account team.',
				'If saving ends with a code such as ENOTFOUND, check the spelling of this address',
			].join(' '),
			description:
				"The extraction service's address for this environment. ENOTFOUND: n8n cannot find it.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. prefix_test_4f9a…',
			hint: `From the API settings of ${ACCOUNT}`,
			description: 'A key of the chosen environment: a test key contains _test_, a live key _live_',
		},
		{
			displayName: WORKFLOW_ID_LABEL,
			name: 'workflowId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 5d2f1b8e',
			hint: `From the workflow's page in ${ACCOUNT}, not from n8n`,
			description:
				'The workflow that your documents go to, unless the options of an operation name another one.',
		},
		{
			displayName: DETAILS_LABEL,
			name: 'apiDetails',
			type: 'string',
			typeOptions: { rows: 6 },
			default: '',
			placeholder: `e.g. ${lineOf('uploadFileField', 'file')}`,
			hint: [
				'Save, then execute the node with its operation <b>Workflow › Check Setup</b>:',
				'it writes the lines for you',
			].join(' '),
			description: [
				'What differs from account to account, such as the name of the form field that carries a file.',
				'Each such detail has a line, which begins with its label and a colon.',
				`The labels are: ${labelsOf(ALL_DETAILS)}.`,
				'Lines that begin with # are ignored.',
				'The same text fits your test and your live account.',
			].join(' '),
		},
	];

	authenticate: IAuthenticate = async (credentials, request) => {
		const credential = credentials as DocumentExtractionCredential;
		const signed = authenticated(credential, request);
		if (isTestOf(credential, request)) assertUsable(credential);
		return signed;
	};

	/** Reads one extraction: the cheapest call whose interface is shown whole (interface.md §4.5). */
	test: ICredentialTestRequest = {
		request: {
			// `isTestOf` recognizes the test by this field, and completes the address.
			baseURL: '={{ $credentials.baseUrl }}',
			url: '=/workflows/{{ encodeURIComponent($credentials.workflowId.trim()) }}/extractions',
			qs: { limit: 1 },
			headers: { Accept: 'application/json' },
		},
		rules: [
			// Which of two statuses applies is not shown (interface.md §7).
			...rulesFor([401, 403], (status) => `The API key was refused (${status}). ${COPY_THE_KEY}`),
			...rulesFor(
				[404, 422],
				(status) => `This workflow was not found (${status}). ${IS_IT_RIGHT}`,
			),
			...rulesFor(
				[407, 429, 500, 502, 503, 504],
				(status) =>
					`The service, or its proxy, could not handle the request (${status}). ${TRY_LATER}`,
			),
			...rulesFor([301, 302, 303, 307, 308], () => NOT_THE_SERVICE),
			// The service's list has both (interface.md §2).
			...['total', 'items'].map((key) => ({
				type: 'responseSuccessBody',
				properties: { key, value: undefined, message: NOT_THE_SERVICE },
			})),
			// The type wants rules of one kind; n8n takes both in one list.
		] as ICredentialTestRequest['rules'],
	};
}
