import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../dev/service/faults';
import type { Operation } from '../dev/service/operations';
import {
	CallError,
	type FailureFacts,
	type FailedCall,
} from '../nodes/DocumentExtraction/service/callError';
import { RULES } from '../nodes/DocumentExtraction/messages/words';
import { wordsOf } from '../nodes/DocumentExtraction/messages/words';
import { binaryItem } from './support/binary';
import { textFile, type TestFile } from './support/files';
import { textOf } from './support/repository';
import { useVirtualService } from './support/useService';

/** The words of every rule, by its kind and name: each sentence stands here, and in no other test. */

const used = useVirtualService();

const json = (status: number, body: unknown = { detail: 'No' }): Fault => {
	return { type: 'status', status, body };
};
const entry = (loc: Array<string | number>, msg = 'No') =>
	json(422, { detail: [{ loc: ['body', ...loc], msg, type: 'x' }] });
const page = (status: number): Fault => ({ type: 'html', status, title: 'Hi' });

/** Calls of the service, each with the request that fails. */
const CALLS = {
	read: ['getExtractions', 'extraction.getAll', { documentIdFilter: 'd1' }],
	extract: ['extractBulk', 'extraction.extractDocuments', { documentIds: 'd1' }],
	workflow: ['getWorkflow', 'workflow.get', {}],
	wait: ['getWorkflow', 'workflow.waitUntilExtracted', {}],
	waitShortly: ['getWorkflow', 'workflow.waitUntilExtracted', { options: { maxWait: 9 } }],
	documents: ['getDocuments', 'document.getAll', { returnAll: true }],
	merge: ['merge', 'collection.merge', { collection: { mode: 'id', value: 'c1' } }],
	url: ['createUploadUrl', 'document.createUploadUrl', { fileName: 'a.pdf' }],
	confirm: ['confirm', 'document.confirmUpload', { documentIds: 'd1' }],
	upload: ['upload', 'document.upload', {}],
	sign: ['createUploadUrl', 'document.upload', { options: { uploadMethod: 'signed' } }],
	put: ['putFile', 'document.upload', { options: { uploadMethod: 'signed' } }],
	uploadToExtract: ['upload', 'extraction.extractFromFiles', {}],
	extractUploaded: ['extractBulk', 'extraction.extractFromFiles', {}],
} satisfies { [call: string]: [Operation, operation: string, INodeParameters] };

interface Situation {
	call: keyof typeof CALLS;
	fault: Fault;
	credential?: object;
	/** Whether there is another file, whose upload succeeds. */
	isSecond?: boolean;
}

const at = (
	call: keyof typeof CALLS,
	fault: Fault,
	more: Omit<Situation, 'call' | 'fault'> = {},
): Situation => ({ call, fault, ...more });

interface Row {
	situation: Situation | FailureFacts;
	message: string;
	/** Its sentences. */
	description: string[];
}

const NO = 'The service says: No.';
const NO_FILE = 'This happened with the file a.txt.';
const SECOND_FILE = 'This happened with the file b.txt.';
const AGAIN_OTHERS = [
	'Do not upload the files that are listed here with an ID again:',
	"put a Filter node before this step, or change 'Input Data Field Name'.",
].join(' ');
const AGAIN = 'Do not upload the file again.';
const EXTRACT_LATER = [
	'To extract such a file, use Extraction › Extract Documents with its ID, and later Extraction ›',
	'Get Many.',
].join(' ');
const TRY_LATER = 'Try again later. If it keeps happening, show this to your account team.';
const TO_TEAM = 'If that does not help, show this to your account team.';
const UNKNOWN_FILE = [
	'The outcome is unknown: the file may be at the service already.',
	"Look with Document › Get Many and 'Return All'. If the file is there, enter its ID in",
	'Extraction › Extract Documents, and later in Extraction › Get Many;',
	'upload it again only if it is missing.',
].join(' ');
const UNKNOWN_MERGE = [
	'The outcome is unknown: the service may have merged the documents.',
	'Run this again, unless a second merged PDF would do harm.',
].join(' ');
const UNKNOWN_EXTRACTION = [
	'The outcome is unknown: the extraction may have started.',
	'Look with Extraction › Get Many after a while.',
	'If the results are missing, start it with Extraction › Extract Documents or, if they are still the',
	'old ones, with Force.',
].join(' ');
const AGAIN_AFTER_LIMIT =
	'Run this again later. If it happens often, ask your account team for a higher limit.';
const COMPARE_BASE_URL =
	"Compare 'Base URL' in the credential with the address that your account team gave you.";
const REPAIR = [
	'Open the file: it may be damaged, or protected by a password.',
	"Files of types that the service does not read are skipped by the option 'MIME Types'.",
].join(' ');
const compareLine = (labels: string) =>
	`Compare ${labels} in the credential with the output of Workflow › Check Setup.`;
const CHECK_ID = 'Check the IDs in this step.';
const WORKFLOW = [
	"Check 'Service Workflow ID' ({workflow}):",
	"it must be the ID from the workflow's page in the service's test environment.",
	"Compare 'Base URL' in the credential ({address}) with what your account team gave you.",
].join(' ');
const FETCH_LATER = [
	'The extraction may still be running: fetch its results later with Extraction › Get Many.',
	"If extractions often take this long, raise 'Max Wait' in the options.",
].join(' ');
const LESS_AT_A_TIME = "If this step has the field 'Return All', switch it off, and lower 'Limit'.";
const STORAGE_OF_N8N = [
	'Run the workflow again from its first node, so that it gets the file again.',
	'If this happens often, show it to whoever runs your n8n: the storage may be full or overloaded,',
	'or, in queue mode, not shared by all of its processes.',
].join(' ');
const WEB_SITE = [
	"'Base URL' in the credential, or an endpoint in its API Details, may lead to a website.",
	'Else, a proxy or firewall on the way has responded.',
].join(' ');
const NO_REDIRECTS = 'The node follows no redirects: ask your account team for the final address.';
const SCOPE = [
	"In your account's API settings, check that the key is not revoked and has the scope (the",
	'permission) for this step.',
	"If not, create a new test key, and copy it whole into 'API Key' in the credential.",
].join(' ');

const CALL: FailedCall = {
	peer: 'service',
	address: 'https://api.example.com',
	environment: 'test',
	workflowId: 'w1',
	suspects: [],
};

const connection = (code: string, text = '') => ({ ...CALL, code, text });

const ROWS: { [rule: string]: Row } = {
	'response › proxy': {
		situation: at('read', json(407)),
		message: 'The proxy between n8n and the service needs a user name and password (407)',
		description: [
			'This request did not reach the service.',
			'Show this to whoever runs your n8n:',
			'its proxy is in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, and exceptions are in NO_PROXY.',
		],
	},
	'response › redirect': {
		situation: at('read', { type: 'redirect', location: 'https://a.example/b?c=d' }),
		message: 'The service redirects the request to another address (307)',
		description: ['The new address is https://a.example/b?….', NO_REDIRECTS],
	},
	'response › redirect (2)': {
		situation: at('upload', { type: 'redirect', status: 303, location: 'https://a.example' }),
		message: 'The service redirects the request to another address (303)',
		description: ['The new address is https://a.example.', NO_REDIRECTS, UNKNOWN_FILE, NO_FILE],
	},
	'response › rate limit': {
		situation: at('read', { ...json(429), headers: { 'retry-after': '3600' } } as Fault),
		message: 'The service received too many requests (429)',
		description: [
			NO,
			'It asks for a pause of 60 minutes, longer than the node waits.',
			AGAIN_AFTER_LIMIT,
		],
	},
	'response › rate limit (2)': {
		situation: at('extractUploaded', json(429)),
		message: 'The service received too many requests (429)',
		description: [
			NO,
			'For five minutes the node paused and tried again, and the service kept refusing.',
			AGAIN_AFTER_LIMIT,
			NO_FILE,
			'Already uploaded; do not upload again: a.txt: {document}.',
			AGAIN,
			EXTRACT_LATER,
		],
	},
	'response › too large': {
		situation: at('upload', json(413)),
		message: 'a.txt is too large for the service (413)',
		description: [
			NO,
			'Smaller files work: split the document, or scan it again with a lower resolution.',
			"For files of this size, set 'Upload Method' in the options to Signed URL.",
			'Only such uploads need the lines for signed uploads in the credential:',
			'Workflow › Check Setup says what to enter there.',
			TO_TEAM,
			NO_FILE,
		],
	},
	'response › too large (2)': {
		situation: at('extract', json(413)),
		message: 'The request is too large for the service (413)',
		description: [
			NO,
			"If this step has the option 'Documents per Call', add it, and enter e.g.",
			'100.',
			TO_TEAM,
		],
	},
	'response › web page': {
		situation: at('read', page(200)),
		message: 'A web page came back instead of a response from the service (200)',
		description: ['The response is a web page with the title “Hi”.', WEB_SITE, TRY_LATER],
	},
	'response › web page (2)': {
		situation: at('upload', page(502)),
		message: 'A web page came back instead of a response from the service (502)',
		description: [
			'The response is a web page with the title “Hi”.',
			WEB_SITE,
			UNKNOWN_FILE,
			NO_FILE,
		],
	},
	'response › server is down': {
		situation: at('read', json(500)),
		message: 'The service could not handle the request (500)',
		description: [NO, TRY_LATER],
	},
	'response › server is down (2)': {
		situation: at('put', json(503, {})),
		message: 'The storage could not handle the request (503)',
		description: [TRY_LATER, NO_FILE],
	},
	'response › server is down (3)': {
		situation: at('extract', json(500)),
		message: 'The service could not handle the request (500)',
		description: [NO, UNKNOWN_EXTRACTION],
	},
	'response › server is down (4)': {
		situation: at('merge', json(500)),
		message: 'The service could not handle the request (500)',
		description: [NO, UNKNOWN_MERGE],
	},
	'response › server is down (5)': {
		situation: at('confirm', json(500)),
		message: 'The service could not handle the request (500)',
		description: [
			NO,
			'The outcome is unknown: the upload may be confirmed.',
			'If Document › Get Many does not show that it is, confirm it with Document › Confirm Upload.',
		],
	},
	'response › server is down (6)': {
		situation: at('url', json(500)),
		message: 'The service could not handle the request (500)',
		description: [
			NO,
			'The outcome is unknown: a document without a file may have been made.',
			'No file was sent: run this again.',
		],
	},
	'response › error in a success': {
		situation: at('upload', json(200, { success: false, error: 'No', document_id: 'd1' })),
		message: 'The service reports an error for a.txt (200)',
		description: [
			NO,
			'If the service says what is wrong, correct that.',
			TO_TEAM,
			UNKNOWN_FILE,
			NO_FILE,
		],
	},
	'response › error in a success (2)': {
		situation: at('merge', json(200, { errors: ['No'] })),
		message: 'The service reports an error for the request (200)',
		description: [NO, 'If the service says what is wrong, correct that.', TO_TEAM, UNKNOWN_MERGE],
	},
	'response › unexpected form': {
		situation: at('read', { ...json(200, 'OK'), contentType: 'text/plain' } as Fault),
		message: 'The response of the service is incomplete or not in the expected form (200)',
		description: [
			'The service says: OK. It should be JSON or, when documents are merged, a PDF.',
			COMPARE_BASE_URL,
			TO_TEAM,
		],
	},
	'response › signed URL refused': {
		situation: at('put', json(403)),
		message: 'The storage refused the signed URL (403)',
		description: [
			'The storage says: No.',
			compareLine("'Upload URL Body' and 'Upload Headers Field'"),
			TO_TEAM,
			NO_FILE,
		],
	},
	'response › signed URL refused (2)': {
		situation: {
			kind: 'response',
			...CALL,
			peer: 'storage',
			statusCode: 403,
			location: '',
			isWebPage: false,
			isErrorInSuccess: false,
		},
		message: 'The storage refused the signed URL (403)',
		description: ['Run this again: the URL may have expired.', TO_TEAM],
	},
	'response › key refused': {
		situation: at('upload', json(401)),
		message: 'The service refused the API key (401)',
		description: [NO, SCOPE, TO_TEAM, NO_FILE],
	},
	'response › key refused (2)': {
		situation: at('extract', json(403)),
		message: 'The service refused access (403)',
		description: [NO, SCOPE, TO_TEAM],
	},
	'response › not found': {
		situation: at('read', json(404)),
		message: 'The service cannot find what was requested (404)',
		description: [NO, CHECK_ID, WORKFLOW],
	},
	'response › not found (2)': {
		situation: at('workflow', json(404)),
		message: 'The service cannot find what was requested (404)',
		description: [NO, compareLine("'Workflow Endpoint'"), WORKFLOW],
	},
	'response › not found (3)': {
		situation: at('extractUploaded', json(404)),
		message: 'The service cannot find what was requested (404)',
		description: [
			NO,
			compareLine("'Document ID Field'"),
			WORKFLOW,
			NO_FILE,
			'Already uploaded; do not upload again: a.txt: {document}.',
			AGAIN,
			EXTRACT_LATER,
		],
	},
	'response › not found (4)': {
		situation: at('upload', json(404)),
		message: 'The service cannot find what was requested (404)',
		description: [NO, WORKFLOW, NO_FILE],
	},
	'response › not found (5)': {
		situation: at('merge', json(404)),
		message: 'The service cannot find what was requested (404)',
		description: [NO, CHECK_ID, WORKFLOW],
	},
	'response › not found (6)': {
		situation: at('extract', json(404)),
		message: 'The service cannot find what was requested (404)',
		description: [NO, CHECK_ID, WORKFLOW],
	},
	'response › already there': {
		situation: at('extract', json(409)),
		message: 'The service did not accept the request (409)',
		description: [
			NO,
			'What you asked for may have been done already, or an extraction may be running:',
			'wait a while, and look with Extraction › Get Many before you repeat it.',
		],
	},
	'response › another file field': {
		situation: at('upload', entry(['uploads', 0], 'missing')),
		message: 'The service did not accept a.txt (422)',
		description: [
			'The service says: uploads, entry 1: missing.',
			'The service asks for `uploads`: add the line `Upload File Field: uploads`',
			"to 'API Details' in the credential, in place of the one that is there.",
			NO_FILE,
		],
	},
	'response › file refused': {
		situation: at('upload', json(400), { isSecond: true }),
		message: 'The service did not accept b.txt (400)',
		description: [
			NO,
			REPAIR,
			TO_TEAM,
			SECOND_FILE,
			'Already uploaded; do not upload again: a.txt: {document}.',
			AGAIN_OTHERS,
			EXTRACT_LATER,
		],
	},
	'response › file refused (2)': {
		situation: at('sign', json(400, { detail: 'Type is not allowed' })),
		message: 'The service did not accept a.txt (400)',
		description: [
			'The service says: Type is not allowed.',
			REPAIR,
			compareLine("'Upload URL Endpoint' and 'Upload URL Body'"),
			TO_TEAM,
			NO_FILE,
		],
	},
	'response › request refused': {
		situation: at('read', json(422, {})),
		message: 'The service did not accept the request (422)',
		description: [
			"Check the fields of this node, where IDs are no names, and 'Service Workflow ID'.",
			TO_TEAM,
		],
	},
	'response › request refused (2)': {
		situation: at('upload', entry(['file'], 'Field required')),
		message: 'The service did not accept a.txt (422)',
		description: [
			'The service says: file: Field required.',
			compareLine("'Upload File Field'"),
			TO_TEAM,
			NO_FILE,
		],
	},
	'response › request refused (3)': {
		situation: at('confirm', entry(['document_ids', 0])),
		message: 'The service did not accept the request (422)',
		description: [
			'The service says: document_ids, entry 1: No.',
			compareLine("'Confirm Method' and 'Confirm Body'"),
			TO_TEAM,
		],
	},
	'time limit › always': {
		situation: at('read', { type: 'stallBefore' }),
		message: 'The service did not respond in time',
		description: ['It was given 300 seconds.', TRY_LATER],
	},
	'time limit › always (2)': {
		situation: { kind: 'time limit', ...CALL, phase: 'sending', limitMs: 60_000 },
		message: 'The upload to the service stalled',
		description: ['It was given 60 seconds.', TRY_LATER],
	},
	'time limit › always (3)': {
		situation: at('read', { type: 'stallMidBody', bytes: 5 }),
		message: 'The response of the service stalled',
		description: ['It was given 60 seconds.', TRY_LATER],
	},
	'not reached › always': {
		situation: at('read', json(200), { credential: { baseUrl: 'http://127.0.0.1:1' } }),
		message: 'The service cannot be reached',
		description: [
			'n8n cannot connect to http://127.0.0.1:1 (ECONNREFUSED).',
			COMPARE_BASE_URL,
			'If it keeps happening, show this to whoever runs your n8n:',
			'its network must allow the connection.',
		],
	},
	'certificate not trusted › always': {
		situation: { kind: 'certificate not trusted', ...connection('CERT_HAS_EXPIRED') },
		message: 'The service has a certificate that n8n does not trust',
		description: [
			'The connection to https://api.example.com was not made (CERT_HAS_EXPIRED).',
			COMPARE_BASE_URL,
			'If it is right, show this to whoever runs your n8n.',
			'If your company or a proxy issued the certificate, NODE_EXTRA_CA_CERTS makes n8n trust it.',
		],
	},
	'broken › always': {
		situation: at('upload', { type: 'cutAfter' }),
		message: 'The connection to the service broke',
		description: [
			'The connection to {address} ended too early (ECONNRESET).',
			'If it happens often, show this to whoever runs your n8n:',
			'a proxy or the network may cut connections.',
			UNKNOWN_FILE,
			NO_FILE,
		],
	},
	'file not kept › always': {
		situation: { kind: 'file not kept', ...connection('ENOSPC', 'No space') },
		message: 'n8n could not read or save a file',
		description: ["n8n's storage says: No space.", STORAGE_OF_N8N],
	},
	'file not kept › always (2)': {
		situation: { kind: 'file not kept', fileName: 'a.pdf', text: 'ENOENT' },
		message: 'n8n has lost the file a.pdf',
		description: ["n8n's storage says: ENOENT.", STORAGE_OF_N8N],
	},
	'response too large › always': {
		situation: { kind: 'response too large', ...connection('', 'larger than 50 MB') },
		message: 'The response of the service is too large',
		description: [
			'The response is larger than 50 MB, the most that the node accepts.',
			LESS_AT_A_TIME,
			TO_TEAM,
		],
	},
	'other › always': {
		situation: { kind: 'other', ...connection('', 'Odd') },
		message: 'The request to the service did not succeed',
		description: ['Odd. If this happens again, show it to whoever runs your n8n.'],
	},
	'finding › always': {
		situation: at('read', json(200, { message: 'Hi' })),
		message: 'The response of the service is not a page of results',
		description: [
			"The service says: Hi. The response should contain 'total' and 'items'.",
			COMPARE_BASE_URL,
			TO_TEAM,
		],
	},
	'finding › always (2)': {
		situation: at('documents', json(200, { total: 9, page: 1, items: [{ id: 1 }, { id: 2 }] })),
		message: "The list cannot be read page by page with the parameter 'page'",
		description: [
			'The node expected page 2 and got page 1.',
			LESS_AT_A_TIME,
			'If that does not help, ask your account team how this list can be read page by page.',
		],
	},
	'finding › always (3)': {
		situation: at('read', json(200, { total: 1, items: [{ document_id: 'd2' }] })),
		message: 'The service gave the results of another document',
		description: [
			'The node asked for document d1 and got results of document d2.',
			'A cache or a proxy may ignore the part of the address after the question mark.',
			'Show this to whoever runs it, or to your account team.',
		],
	},
	'finding › always (4)': {
		situation: at('wait', json(200, {})),
		message: "'Workflow Endpoint' in the credential does not lead to the service's workflow",
		description: [
			"The response does not say whether the workflow {workflow} is extracting ('is_extracting').",
			"Open the credential and correct the line 'Workflow Endpoint' in 'API Details'.",
			'To see what to enter, add another Document Extraction node, and execute it with the operation',
			'Workflow › Check Setup:',
			"its item 'Workflow Endpoint' has the line, or lists lines to choose from.",
			'If that does not help, ask your account team for this part of the API reference:',
			'the method and path of the endpoint that returns the workflow.',
		],
	},
	'finding › always (5)': {
		situation: at('sign', json(200, { message: 'No' }), { isSecond: true }),
		message: 'The service gave no upload URL for b.txt',
		description: [
			NO,
			'No file was sent.',
			'Open the file: it may be damaged, or of a type or size that the service does not take.',
			TO_TEAM,
			SECOND_FILE,
			'Uploaded, but perhaps not confirmed (use Document › Confirm Upload first):',
			'a.txt: {document}.',
			AGAIN_OTHERS,
			EXTRACT_LATER,
		],
	},
	'finding › always (6)': {
		situation: at('url', json(200, { href: 'https://a.example' })),
		message: "The response for a.pdf has no upload URL under 'Upload URL Field'",
		description: [
			"The node looked for 'upload_url'. The response has: href.",
			'If one of these fields contains it, enter that field in the credential,',
			"in the line 'Upload URL Field: …' of 'API Details'.",
			TO_TEAM,
		],
	},
	'finding › always (7)': {
		situation: at('uploadToExtract', json(200, { id: 7 }), { credential: { documentIdField: '' } }),
		message: "The response for a.txt has no document ID, or several, under 'Document ID Field'",
		description: [
			"The node looked for 'document_id'. The response has: id.",
			'If one of these fields contains it, enter that field in the credential,',
			"in the line 'Document ID Field: …' of 'API Details'.",
			TO_TEAM,
			UNKNOWN_FILE,
			NO_FILE,
		],
	},
	'finding › always (8)': {
		situation: at('waitShortly', json(200, { is_extracting: true, extraction_status: 'on' })),
		message: 'The extraction was not finished after 9 seconds',
		description: [
			'The last status that the node saw was that of the workflow at the service: on.',
			FETCH_LATER,
		],
	},
	'finding › always (9)': {
		situation: at('waitShortly', json(500)),
		message: 'The extraction was not finished after 9 seconds',
		description: [
			'When the node last checked, this happened: The service could not handle the request (500).',
			FETCH_LATER,
		],
	},
};

it('has words for every rule, in their order', () => {
	const named = Object.entries(RULES).flatMap(([kind, rules]) =>
		Object.keys(rules).map((rule) => `${kind} › ${rule}`),
	);

	const said = Object.keys(ROWS).map((rule) => rule.replace(/ \(\d\)$/, ''));
	expect([...new Set(said)]).toEqual(named);
});

it.each(Object.entries(ROWS))('%s', async (_, { situation, message, description }) => {
	const said = 'kind' in situation ? wordsOf(new CallError(situation)) : await saidAfter(situation);

	expect(said?.message).toBe(message);
	const { workflowId } = used.service.credential();
	const { uploads } = await used.control.ledger();
	expect(said?.description?.replaceAll('\n\n', ' ')).toBe(
		description
			.join(' ')
			.replace('{workflow}', String(workflowId))
			.replace('{address}', used.service.url)
			.replace('{document}', String(uploads[0]?.documentId)),
	);
});

async function saidAfter({ call, fault, credential, isSecond }: Situation) {
	const [request, name, parameters] = CALLS[call];
	const [resource, operation] = name.split('.');
	await used.fault(request, fault, { skip: isSecond ? 1 : 0 });
	const file = (fileName: string) => ({ data: 'Total: 1', fileName, mimeType: 'text/plain' });
	const files = { a: file('a.txt'), ...(isSecond && { b: file('b.txt') }) };
	const { error } = await used.run(
		{ resource, operation, binaryPropertyName: '*', ...parameters },
		{ credential, items: [await binaryItem({ files })] },
	);
	return error;
}

const QUOTES = [...textOf('docs/failures.md').matchAll(/^> (.+)$/gm)].map(([, quote]) => quote);

/** What the node says with numbers and names of files that may be others on the page. */
const anyFile = (text: string) => text.replace(/[\w-]+\.(pdf|txt)/g, 'FILE').replace(/\d+/g, 'N');
/** What extractFromFiles.test.ts gets the node to say. */
const SAID_ELSEWHERE = 'The extraction failed (status: ERROR)';
const SAID = [
	SAID_ELSEWHERE,
	...Object.values(ROWS).flatMap(({ message, description }) =>
		[message, description.join(' ')].map(anyFile),
	),
];

interface Unsent {
	credential?: () => object;
	parameters?: object;
	files?: Record<string, TestFile>;
}

/** How to get the node to say what it says before it sends anything. */
const UNSENT: { [quote: string]: Unsent } = {
	"'API Details' in the credential has no line 'Upload File Field', and this step needs it": {
		credential: () => ({ apiDetails: '# Upload File Field: file' }),
	},
	'There is no file to upload': { parameters: { binaryPropertyName: '*' }, files: {} },
	"Skipped logo.png: its type is image/png, not one of 'MIME Types'": {
		parameters: { binaryPropertyName: '*', options: { mimeTypes: 'application/pdf' } },
		files: { data: textFile('logo.png', 'logo', 'image/png') },
	},
};

it.each(QUOTES.filter((quote) => !(quote in UNSENT)))(
	'the page of failures quotes what is said: %s',
	(quote) => expect(SAID).toContainEqual(expect.stringContaining(anyFile(quote))),
);

it('the page of failures quotes what can be tried without sending anything', () => {
	expect(QUOTES).toEqual(expect.arrayContaining(Object.keys(UNSENT)));
});

it.each(Object.entries(UNSENT))(
	'the page of failures quotes what is said before anything is sent: %s',
	async (quote, { credential, parameters, files = { data: textFile('a.txt') } }) => {
		const { error, hints } = await used.run(
			{ resource: 'extraction', operation: 'extractFromFiles', ...parameters },
			{ credential: credential?.(), items: [await binaryItem({ files })] },
		);

		expect([error?.message, ...hints.map(({ message }) => message)].join()).toContain(quote);
		expect(await used.control.requests()).toEqual([]);
	},
);
