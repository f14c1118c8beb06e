import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../dev/service/faults';
import type { Operation } from '../dev/service/operations';
import {
	CallError,
	type Facts,
	type FailedCall,
} from '../nodes/DocumentExtraction/service/callError';
import { RULES } from '../nodes/DocumentExtraction/messages/rules';
import { wordsOf } from '../nodes/DocumentExtraction/messages/words';
import { binaryItem } from './support/binary';
import { textFile, type TestFile } from './support/files';
import { sectionsOf } from './support/repository';
import { useVirtualService } from './support/useService';

/** The words of every rule of messages/, by its kind and name: each sentence stands here, and in no other test. */

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

type Row = [situation: Situation | Facts, message: string, description: string];

const NO = 'The service says: No.';
const NO_FILE = 'This happened with the file a.txt.';
const GO_ON =
	'If the extraction has not started, start it with Extraction › Extract Documents. Later, read the values with Extraction › Get Many, one ID at a time.';
const AGAIN = `Do not upload the file again. ${GO_ON}`;
const AGAIN_OTHERS = `Do not upload the files that are listed here with an ID again. Leave them out: with a Filter node before this step or, if all files are in one item, by naming only the other files' fields in 'Input Data Field Name'. ${GO_ON}`;
const OTHERS =
	"To let the others continue next time even if one file fails, set 'On Error' in this node's Settings to Continue (using error output).";
const AGAIN_DOWN = 'If this keeps happening, show it to your account team.';
const REFUSED = 'The service did not accept the request';
const REFUSED_FILE = 'The service did not accept a.txt';
const NOT_FOUND = 'The service cannot find what was requested (404)';
const WEB_PAGE = 'A web page came back instead of a response from the service';
const FIREWALL =
	'The page comes from the service, or from a proxy or firewall on the way to it. Try again later. If it keeps happening, show this to your account team or, if the service works for other people, to whoever runs your n8n.';
const leadsToWebsite = (what: string) =>
	`${what} probably leads to a website, not to the API. Enter what your account team or your API reference says. If that is entered already, show this to your account team. If the service works for other people, show this to whoever runs your n8n: a proxy may have responded.`;
const TEMPORARY = 'Try again later. If it keeps happening, show this to your account team.';
const UNKNOWN =
	'The outcome is unknown: the service may have merged the documents all the same. Run this again, unless a second merged PDF would do harm.';
const UNKNOWN_FILE =
	"The outcome is unknown: the file may be at the service already. Look with Document › Get Many and 'Return All'. If the file is there, enter its ID in Extraction › Extract Documents, and later in Extraction › Get Many; upload it again only if it is missing.";
const OFTEN =
	'If it happens often, run fewer executions with this API key at the same time, or ask your account team for a higher limit.';
const PROXY =
	'n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment. Enter the user name and password there, as in http://user:password@proxy.example.com:3128, with special characters percent-encoded, and restart n8n. If the service should be reached without the proxy, name its host in NO_PROXY.';
const CHECK_ID =
	'Check the IDs that are entered in this step: each must be an ID, and not a name. Document › Get Many shows the IDs of documents, and Workflow › Get shows those of collections.';
const STALLED =
	'If it happens often, show this to whoever runs your n8n: the network between n8n and the service, or the place where n8n keeps files, may be slow.';
const NO_HELP = 'If that does not help, show this to your account team.';
const REPAIR = `Open the file. If it is damaged or protected by a password, use a better copy. If the service does not read files of this type, have them skipped: in the option 'MIME Types', enter the types that it does read. ${NO_HELP}`;
const CHECK_FIELDS = `Check the fields of this node (where an ID is asked for, enter no name), and 'Service Workflow ID'. ${NO_HELP}`;
const correct = (details: string, what = 'it') =>
	`Compare ${details} in the credential with the item about ${what} in the output of Workflow › Check Setup. ${NO_HELP}`;
const checkKey = (task: string) =>
	`In the API settings of your account at the extraction service, check that the key is not revoked and has the scope (the permission) to ${task}. If it is not like that, or you cannot tell, create a new test key. Copy the whole key into 'API Key' in the credential. If that does not help, show this to your account team, and ask which scope the key needs, whether workflow '{workflow}' is in the test environment, and whether 'Base URL' is right.`;
const WORKFLOW =
	"Check 'Service Workflow ID' ({workflow}), in the credential or in this node's options: it must be the ID from the workflow's page in the service's test environment. Compare 'Base URL' in the credential ({address}) with the address that your account team gave you. If all is right, or this step worked before, show this to your account team: what it needs may have been deleted.";
const FETCH_LATER =
	'The extraction may still be running: fetch its results later with Extraction › Get Many.';
const CONTINUES = `${FETCH_LATER} If they are still missing then, show this to your account team.`;
const RAISE = "If extractions often take this long, raise 'Max Wait' in the options.";
const checkSetup = (item: string) =>
	`To see what to enter, add another Document Extraction node, and execute it with the operation Workflow › Check Setup: its item '${item}' has the line, or lists lines to choose from. If that does not help, ask your account team for this part of the API reference: `;

const CALL: FailedCall = {
	peer: 'service',
	address: 'https://api.example.com',
	environment: 'test',
	workflowId: 'w1',
	suspects: [],
};

function responseOf(statusCode: number) {
	return { statusCode, isPauseTooLong: false, location: '' };
}

const connection = (code: string, text = '') => ({ ...CALL, code, text });

const waited = { maxWaitS: 9, documentId: 'd1', unclear: false } as const;
const NOT_FINISHED = 'The extraction was not finished after 9 seconds';

const ROWS: { [rule: string]: Row } = {
	'response › proxy asks for a password': [
		at('read', json(407)),
		'The proxy between n8n and the service needs a user name and password (407)',
		`Show this to whoever runs your n8n. This request did not reach the service. ${PROXY}`,
	],
	'response › proxy makes no connection': [
		{
			kind: 'response',
			...CALL,
			...responseOf(502),
			statusCode: 502,
			isFromProxy: true,
			mayPass: true,
		},
		'The proxy between n8n and the service did not connect them (502)',
		'This request did not reach the service. Try again later. If it keeps happening, show this to whoever runs your n8n. n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment. If the service should be reached without the proxy, name its host in NO_PROXY there.',
	],
	'response › redirect': [
		at('read', { type: 'redirect', location: 'https://a.example/b?c=d' }),
		'The service redirects the request to another address (307)',
		"The new address is https://a.example/b?…. The node follows no redirects, so that the API key is sent to 'Base URL' only. Ask your account team for the final address, and enter that in 'Base URL' in the credential.",
	],
	'response › redirect (2)': [
		at('put', { type: 'redirect', location: 'https://a.example' }),
		'The storage redirects the request to another address (307)',
		`The new address is https://a.example. The node follows no redirects. Show this to your account team. ${NO_FILE}`,
	],
	'response › redirect (3)': [
		at('upload', { type: 'redirect', status: 303, location: 'https://a.example' }),
		'The service redirects the request to another address (303)',
		`The new address is https://a.example. The node follows no redirects, so that the API key is sent to 'Base URL' only. Ask your account team for the final address, and enter that in 'Base URL' in the credential. ${UNKNOWN_FILE} ${NO_FILE}`,
	],
	'response › rate limit': [
		at('read', { ...json(429), headers: { 'retry-after': '3600' } } as Fault),
		'The service received too many requests (429)',
		`${NO} The service asks for a pause of 60 minutes, longer than the node waits. Run this again later. ${OFTEN}`,
	],
	'response › rate limit (2)': [
		at('read', json(429)),
		'The service received too many requests (429)',
		`${NO} For five minutes the node paused and tried again, and the service kept refusing. Run this again later. ${OFTEN}`,
	],
	'response › rate limit (3)': [
		at('extractUploaded', json(429)),
		'The service received too many requests (429)',
		`${NO} For five minutes the node paused and tried again, and the service kept refusing. Start the extraction later with Extraction › Extract Documents, and then read the values with Extraction › Get Many. ${OFTEN} ${NO_FILE} Already uploaded; do not upload again: a.txt: {document}. ${AGAIN}`,
	],
	'response › too large': [
		at('upload', json(413)),
		'a.txt is too large for the service (413)',
		`${NO} Smaller files work: split the document, or scan it again with a lower resolution. For files of this size, set 'Upload Method' in the options to Signed URL. Signed uploads, and only these, need 'Upload URL Endpoint', 'Upload URL Field', 'Confirm Method', 'Confirm Body' in the credential. Workflow › Check Setup says what to enter there. If that does not help, show this to your account team. ${NO_FILE}`,
	],
	'response › too large (2)': [
		at('extract', json(413)),
		'The request is too large for the service (413)',
		`${NO} If this step has the option 'Documents per Call', add it, and enter e.g. 100. If that does not help, show this to your account team.`,
	],
	'response › web site': [
		at('read', page(200)),
		`${WEB_PAGE} (200)`,
		`The response is a web page with the title “Hi”. ${leadsToWebsite("'Base URL' in the credential")}`,
	],
	'response › web site (2)': [
		at('workflow', page(404)),
		`${WEB_PAGE} (404)`,
		`The response is a web page with the title “Hi”. ${leadsToWebsite("'Base URL' in the credential, or one of the endpoints in its API Details,")}`,
	],
	'response › web page': [
		at('read', page(502)),
		`${WEB_PAGE} (502)`,
		`The response is a web page with the title “Hi”. ${FIREWALL}`,
	],
	'response › storage gives no file': [
		{ kind: 'response', ...CALL, ...responseOf(200), peer: 'storage' },
		'The response of the storage is not a file (200)',
		"Check 'Download URL Field' in the options, or show this to your account team.",
	],
	'response › server is down': [
		at('read', json(500)),
		'The service could not handle the request (500)',
		`${NO} ${TEMPORARY}`,
	],
	'response › server is down (2)': [
		at('put', json(503, {})),
		'The storage could not handle the request (503)',
		`${TEMPORARY} ${NO_FILE}`,
	],
	'response › server is down (3)': [
		at('extract', json(500)),
		'The service could not handle the request (500)',
		`${NO} ${AGAIN_DOWN} The outcome is unknown: the extraction may have started all the same. Look with Extraction › Get Many after a while. If the results are missing, start it with Extraction › Extract Documents. If they are still the old ones, switch on Force there.`,
	],
	'response › server is down (4)': [
		at('merge', json(500)),
		'The service could not handle the request (500)',
		`${NO} ${AGAIN_DOWN} ${UNKNOWN}`,
	],
	'response › server is down (6)': [
		at('url', json(500)),
		'The service could not handle the request (500)',
		`${NO} ${AGAIN_DOWN} The outcome is unknown: the service may have made a URL, but the node did not receive it, and sent no file. Run this again. If Document › Get Many shows a document from the first try, that one has no file.`,
	],
	'response › server is down (5)': [
		at('confirm', json(500)),
		'The service could not handle the request (500)',
		`${NO} ${AGAIN_DOWN} The outcome is unknown: the upload may be confirmed all the same. If Document › Get Many does not show that it is, confirm it with Document › Confirm Upload. Then extract the document with Extraction › Extract Documents, if you want its values.`,
	],
	'response › signed URL refused': [
		at('put', json(403)),
		'The storage refused the signed URL (403)',
		`The storage says: No. Compare the lines 'Upload URL Body' and 'Upload Headers Field' in the credential with the items about them in the output of Workflow › Check Setup: the URL may have been made for another type or size, or may need headers. If it keeps happening, show this to your account team. ${NO_FILE}`,
	],
	'response › error in a success': [
		at('upload', json(200, { success: false, error: 'No', document_id: 'd1' })),
		'The service reports an error for a.txt (200)',
		`${NO} If the service says what is wrong, correct that. If it does not, or if you cannot, show this to your account team. ${UNKNOWN_FILE} ${NO_FILE}`,
	],
	'response › error in a success (2)': [
		at('merge', json(200, { errors: ['No'] })),
		'The service reports an error for the request (200)',
		`${NO} If the service says what is wrong, correct that. If it does not, or if you cannot, show this to your account team. ${UNKNOWN}`,
	],
	'response › no JSON': [
		at('read', { ...json(200, 'OK'), contentType: 'text/plain' } as Fault),
		'The response of the service is incomplete or not in the expected form (200)',
		"The service says: OK. The response should be JSON or, when documents are merged, a PDF. If this happens again, check 'Base URL' in the credential, or show this to your account team.",
	],
	'response › key refused': [
		at('upload', json(401)),
		'The service refused the API key (401)',
		`${NO} ${checkKey('upload documents')} ${NO_FILE}`,
	],
	'response › key refused (2)': [
		at('extract', json(403)),
		'The service refused access (403)',
		`${NO} ${checkKey('start extractions')}`,
	],
	'response › ID not found': [
		at('merge', json(404, { detail: 'Collection not found' })),
		NOT_FOUND,
		`The service says: Collection not found. ${CHECK_ID} If they are right, show this to your account team, with the IDs: what they name may have been deleted.`,
	],
	'response › not found': [at('read', json(404)), NOT_FOUND, `${NO} ${CHECK_ID} ${WORKFLOW}`],
	'response › not found (2)': [
		at('workflow', json(404)),
		NOT_FOUND,
		`${NO} Compare 'Workflow Endpoint' in the credential with your API reference, or with what Workflow › Check Setup says. ${WORKFLOW}`,
	],
	'response › not found (3)': [
		at('extractUploaded', json(404)),
		NOT_FOUND,
		`${NO} Compare 'Document ID Field' in the credential with your API reference, or with what Workflow › Check Setup says. If 'Document ID Field' was wrong, any IDs in this message are wrong, too: Document › Get Many shows the right ones. ${WORKFLOW} ${NO_FILE} Already uploaded; do not upload again: a.txt: {document}. ${AGAIN}`,
	],
	'response › not found (4)': [at('upload', json(404)), NOT_FOUND, `${NO} ${WORKFLOW} ${NO_FILE}`],
	'response › not found (5)': [at('merge', json(404)), NOT_FOUND, `${NO} ${CHECK_ID} ${WORKFLOW}`],
	'response › not found (6)': [
		at('extract', json(404)),
		NOT_FOUND,
		`${NO} ${CHECK_ID} ${WORKFLOW}`,
	],
	'response › already there': [
		at('extract', json(409)),
		`${REFUSED} (409)`,
		`${NO} What you asked for may have been done already, or an extraction may be running: wait a while, and look with Extraction › Get Many before you repeat it. If the values are not there, show this to your account team.`,
	],
	'response › another file field': [
		at('upload', entry(['uploads', 0], 'missing')),
		`${REFUSED_FILE} (422)`,
		`The service says: uploads, entry 1: missing. The service asks for \`uploads\`: add the line \`Upload File Field: uploads\` to 'API Details' in the credential, in place of the one that is there. ${NO_FILE}`,
	],
	'response › request refused': [at('read', json(422, {})), `${REFUSED} (422)`, CHECK_FIELDS],
	'response › request refused (2)': [
		at('upload', entry(['file'], 'Field required')),
		`${REFUSED_FILE} (422)`,
		`The service says: file: Field required. ${correct("'Upload File Field'")} ${NO_FILE}`,
	],
	'response › request refused (3)': [
		at('upload', json(400), { isSecond: true }),
		'The service did not accept b.txt (400)',
		`${NO} ${REPAIR} This happened with the file b.txt. Already uploaded; do not upload again: a.txt: {document}. ${AGAIN_OTHERS} ${OTHERS}`,
	],
	'response › request refused (4)': [
		at('confirm', entry(['document_ids', 0])),
		`${REFUSED} (422)`,
		`The service says: document_ids, entry 1: No. ${correct("'Confirm Method' and 'Confirm Body'", 'each')}`,
	],
	'response › request refused (5)': [
		at('sign', json(400, {})),
		`${REFUSED_FILE} (400)`,
		`${correct("'Upload URL Endpoint' and 'Upload URL Body'", 'each')} ${NO_FILE}`,
	],
	'response › request refused (6)': [
		at('sign', json(400, { detail: 'Type is not allowed' })),
		`${REFUSED_FILE} (400)`,
		`The service says: Type is not allowed. ${REPAIR} ${NO_FILE}`,
	],
	'response › request refused (7)': [
		at('upload', json(400, { detail: 'Unknown collection' })),
		`${REFUSED_FILE} (400)`,
		`The service says: Unknown collection. Check 'Collection'. ${NO_HELP} ${NO_FILE}`,
	],
	'time limit › no response': [
		at('read', { type: 'stallBefore' }),
		'The service did not respond in time',
		'It was given 300 seconds for its response. Try again later. If it keeps happening, show this to your account team.',
	],
	'time limit › stalled': [
		{ kind: 'time limit', ...CALL, phase: 'sending', limitMs: 60_000 },
		'The upload to the service stalled',
		`Data moved too slowly, or not at all, for too long. Try again. ${STALLED}`,
	],
	'time limit › stalled (2)': [
		at('read', { type: 'stallMidBody', bytes: 5 }),
		'The response of the service stalled',
		`Data moved too slowly, or not at all, for too long. Try again. ${STALLED}`,
	],
	'not reached › always': [
		at('read', json(200), { credential: { baseUrl: 'http://127.0.0.1:1' } }),
		'The service cannot be reached',
		"n8n cannot connect to http://127.0.0.1:1 (ECONNREFUSED). If n8n runs in a container, localhost is the container, and not your computer. Compare 'Base URL' in the credential with the address that your account team gave you. If it has worked before, try again later. If it keeps happening, show this to whoever runs your n8n: its network, or its proxy, must allow the connection.",
	],
	'no TLS › always': [
		{ kind: 'no TLS', ...connection('EPROTO') },
		'No https connection to the service could be made',
		"The encrypted connection to https://api.example.com failed (EPROTO). Compare 'Base URL' in the credential with the address that your account team gave you: its port may be wrong. If it is right, show this to whoever runs your n8n. If the service runs on the same machine as n8n, 'Base URL' may have to begin with http://localhost (allowed only with 'Environment' set to Test).",
	],
	'certificate not trusted › always': [
		{ kind: 'certificate not trusted', ...connection('CERT_HAS_EXPIRED') },
		'The service has a certificate that n8n does not trust',
		"The connection to https://api.example.com was not made (CERT_HAS_EXPIRED). Check 'Base URL' in the credential first. Show this to whoever runs your n8n. If the certificate has expired or is for another host name, the owner of the server must replace it. If it was issued by your company or a proxy, use NODE_EXTRA_CA_CERTS to make n8n trust the certificate authority that issued it.",
	],
	'broken › always': [
		at('upload', { type: 'cutAfter' }),
		'The connection to the service broke',
		`The connection to {address} ended too early (ECONNRESET). If it happens often, show this to whoever runs your n8n: a proxy or the network may cut connections. ${UNKNOWN_FILE} ${NO_FILE}`,
	],
	'cut short › always': [
		{ kind: 'cut short', ...connection(''), isUpload: true, isOutcomeUnknown: true },
		'The service responded before it had the whole file',
		`The response was a success, but the service, or a proxy before it, did not take all of the file. It may be too large for one of them. Show this to your account team or, if larger files work for other people, to whoever runs your n8n.\n\n${UNKNOWN_FILE}`,
	],
	'file not kept › always': [
		{ kind: 'file not kept', ...connection('ENOSPC', 'No space') },
		'n8n could not read or save a file',
		"n8n's storage says: No space. It may be full, missing or overloaded, or n8n may have no access to it. Show this to whoever runs your n8n, and run the workflow again once that is fixed.",
	],
	'file unreadable › always': [
		{ kind: 'file unreadable', fileName: 'a.pdf', text: 'ENOENT' },
		'n8n has lost the file a.pdf',
		"n8n's storage says: ENOENT. Run the workflow again from its first node, so that it gets the file again. If this happens often, show this to whoever runs your n8n: the file may have been deleted, or this process of n8n cannot read what another one has stored. In queue mode, all processes of n8n must be able to read what one of them has stored.",
	],
	'response too large › always': [
		{ kind: 'response too large', ...connection('', 'larger than 50 MB') },
		'The response of the service is too large',
		"The response is larger than 50 MB, the most that the node accepts. Ask for less at a time: if this step has the field 'Return All', switch it off, and lower 'Limit'; for a list of documents, enter in 'Query Parameters' what your API reference offers for smaller pages. If that does not help, show this to your account team.",
	],
	'other › always': [
		{ kind: 'other', ...connection('', 'Odd') },
		'The request to the service did not succeed',
		'Odd. If this happens again, show it to whoever runs your n8n.',
	],
	'no page of results › always': [
		at('read', json(200, { message: 'Hi' })),
		'The response of the service is not a page of results',
		"The service says: Hi. The response should contain 'total' and 'items'. 'Base URL' in the credential may belong to another service: compare it with the address that your account team gave you. If the two are the same, show this to your account team.",
	],
	'list without pages › always': [
		at('documents', json(200, { total: 9, page: 1, items: [{ id: 1 }, { id: 2 }] })),
		"The list cannot be read page by page with the parameter 'page'",
		"The node expected page 2 and got page 1. If this step has the field 'Return All', switch it off, and lower 'Limit'. If that does not help, or you need more, ask your account team how this list can be read page by page. For documents, enter what they say in 'Query Parameters'.",
	],
	'another document › always': [
		{ kind: 'another document', asked: 'doc_1', came: 'doc_2' },
		'The service gave the results of another document',
		'The node asked for document doc_1 and got results of document doc_2. Something between n8n and the service, such as a cache or a proxy, may ignore the part of the address after the question mark. Show this to whoever runs it, or to your account team.',
	],
	'list that changes › always': [
		{ kind: 'list that changes' },
		'The list changed each time it was read',
		'Run this again when no documents are arriving.',
	],
	'not the workflow › always': [
		at('wait', json(200, {})),
		"'Workflow Endpoint' in the credential does not lead to the service's workflow",
		`The response does not say whether the workflow {workflow} is extracting ('is_extracting'). Open the credential and correct the line 'Workflow Endpoint' in 'API Details'. ${checkSetup('Workflow Endpoint')}the method and path of the endpoint that returns the workflow.`,
	],
	'no upload URL › file refused': [
		at('sign', json(200, { note: 'x' }), { isSecond: true }),
		'The service gave no upload URL for b.txt',
		`No file was sent. ${REPAIR} This happened with the file b.txt. Uploaded, but perhaps not confirmed (use Document › Confirm Upload first): a.txt: {document}. ${AGAIN_OTHERS} ${OTHERS}`,
	],
	'no upload URL › file refused (2)': [
		at('url', json(200, { message: 'No' })),
		'The service gave no upload URL for a.pdf',
		`${NO} No file was sent. ${REPAIR}`,
	],
	'no upload URL › always': [
		at('url', json(200, { href: 'https://a.example' })),
		"The response has no upload URL under 'Upload URL Field' in the credential",
		`The node looked for 'upload_url'. The response has: href. Open the credential and correct the line 'Upload URL Field' in 'API Details'. ${checkSetup('Upload URL Field')}the field that contains the URL, in the response with the signed upload URL. If no field of the response is a URL, correct the line 'Upload URL Endpoint' instead.`,
	],
	'unsafe upload URL › always': [
		at('url', json(200, { upload_url: 'ftp://a.example' })),
		'The node does not use the upload URL: it does not start with https://',
		"The URL is in the response under 'upload_url', as 'Upload URL Field' in the credential says. If that is the wrong field, correct this line; the response has: upload_url. If it is the right one, ask your account team for upload URLs that start with https:// and do not lead to localhost.",
	],
	'no document ID › others had one': [
		at('uploadToExtract', json(200, { message: 'No' }), { isSecond: true }),
		"The response for b.txt has no document ID, or several, under 'Document ID Field'",
		`${NO} Other responses in this run had an ID, so 'Document ID Field' is right for those. If Document › Get Many shows the document, continue with its ID in Extraction › Extract Documents. If you upload it again and the service again gives no ID, show this to your account team, with the file. ${UNKNOWN_FILE} This happened with the file b.txt. Already uploaded; do not upload again: a.txt: {document}. ${AGAIN_OTHERS} ${OTHERS}`,
	],
	'no document ID › others had one (2)': [
		at('sign', json(200, { upload_url: 'https://a.example' }), { isSecond: true }),
		"The response for b.txt has no document ID, or several, under 'Document ID Field'",
		`Other responses in this run had an ID, so 'Document ID Field' is right for those. No file was sent. Show this to your account team. This happened with the file b.txt. Uploaded, but perhaps not confirmed (use Document › Confirm Upload first): a.txt: {document}. ${AGAIN_OTHERS} ${OTHERS}`,
	],
	'no document ID › always': [
		at('uploadToExtract', json(200, { id: 7 }), { credential: { documentIdField: '' } }),
		"The response for a.txt has no document ID, or several, under 'Document ID Field'",
		`The node looked for 'document_id'. The response has: id. If one of these fields contains the document's ID, give 'API Details' in the credential the line 'Document ID Field: …' with that field, exactly as it is listed here. If none does, or you cannot tell, show this to your account team. ${UNKNOWN_FILE} ${NO_FILE}`,
	],
	'no file to download › always': [
		{ kind: 'no file to download' },
		'The download URL in the response does not lead to a file',
		"It returns JSON. Check 'Download URL Field' in the options, or show this to your account team.",
	],
	'extraction failed › always': [
		{ kind: 'extraction failed', documentId: 'd1', status: 'ERROR' },
		'The extraction failed (status: ERROR)',
		`The service shows this status for the document d1, and 'Failed Statuses' in the credential contains it. Open the file: if it is damaged, protected by a password or hardly readable, upload a better copy. If the file is fine, extract the document again with Extraction › Extract Documents. If that fails, too, show this to your account team.`,
	],
	'not finished › no sign': [
		{ kind: 'not finished', ...waited, status: 'broken', unclear: 'no sign' },
		NOT_FINISHED,
		`The node waited for document d1. The last status that the node saw was: broken. ${FETCH_LATER} ${RAISE} Without 'Finished Statuses' in the credential, the node cannot tell an extraction that failed, or that found nothing, from one that is still running. Open the credential and add to 'API Details' a line such as 'Finished Statuses: status one, status two'. ${checkSetup('Finished Statuses')}the values of extraction_status that mean done or failed, in the endpoint that lists documents.`,
	],
	'not finished › no status': [
		{ kind: 'not finished', ...waited, unclear: 'no status' },
		NOT_FINISHED,
		`The node waited for document d1. The node found no status for it. If Document › Get Many does not show this ID, it is wrong: if you entered it, correct it; if it comes from an upload, check 'Document ID Field' in the credential. ${CONTINUES}`,
	],
	'not finished › status not listed': [
		{ kind: 'not finished', ...waited, status: 'Done', finished: ['done'] },
		NOT_FINISHED,
		`The node waited for document d1. The last status that the node saw was: Done. 'Finished Statuses' (done) in the credential does not list this status. If it means that the extraction is over (ask your account team if you do not know), change the line to 'Finished Statuses: done, Done'. ${CONTINUES} ${RAISE}`,
	],
	'not finished › idle workflow': [
		{ kind: 'not finished', maxWaitS: 9, status: 'idle', unclear: 'idle workflow' },
		NOT_FINISHED,
		`The last status that the node saw was that of the workflow at the service: idle. ${CONTINUES} After the start, the node never saw the workflow at the service extracting: there may have been nothing to extract, or too little to notice. If that is normal here, lower 'Max Wait' in the options, and set 'On Timeout' to Return Status.`,
	],
	'not finished › always': [
		{ kind: 'not finished', ...waited, status: 'on', isOfWorkflow: true, lastFailure: 'Oh no' },
		NOT_FINISHED,
		`The node waited for document d1. The last status that the node saw was that of the workflow at the service: on. When the node last checked, this happened: Oh no. ${CONTINUES} ${RAISE}`,
	],
};

it('has words for every rule, in their order', () => {
	const named = Object.entries(RULES).flatMap(([kind, rules]) =>
		Object.keys(rules).map((rule) => `${kind} › ${rule}`),
	);

	const said = Object.keys(ROWS).map((rule) => rule.replace(/ \(\d\)$/, ''));
	expect([...new Set(said)]).toEqual(named);
});

it.each(Object.entries(ROWS))('%s', async (_, [situation, message, description]) => {
	const said = 'kind' in situation ? wordsOf(new CallError(situation)) : await saidAfter(situation);

	expect(said?.message).toBe(message);
	const { workflowId } = used.service.credential();
	const { uploads } = await used.control.ledger();
	expect(said?.description).toBe(
		description
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

/** What the page of failures quotes, by the heading of the section that explains it. */
const FAILURES = sectionsOf('docs/failures.md');
const QUOTES = [...FAILURES.sections].flatMap(([heading, section]) =>
	[...section.matchAll(/^> (.+)$/gm)].map(([, quote]) => ({ heading, quote })),
);

/** What the node says with numbers and names of files that may be others on the page. */
const anyFile = (text: string) => text.replace(/[\w-]+\.(pdf|txt)/g, 'FILE').replace(/\d+/g, 'N');
const SAID = Object.values(ROWS).flatMap(([, ...said]) => said.map(anyFile));

interface Unsent {
	credential?: () => object;
	parameters?: object;
	files?: Record<string, TestFile>;
}

/** How to get the node to say what it says before it sends anything. */
const UNSENT: { [quote: string]: Unsent } = {
	"The credential's 'API Key' is a live key, but its 'Environment' is test": {
		credential: () => ({ apiKey: used.service.account.environments.live.keys.full }),
	},
	"A line in the credential's 'API Details' begins with no known label: 'Uplod File Field: file'": {
		credential: () => ({ apiDetails: 'Uplod File Field: file' }),
	},
	"'API Details' in the credential has no line 'Upload File Field', and this step needs it": {
		credential: () => ({ apiDetails: '# Upload File Field: file' }),
	},
	"'Input Data Field Name' says 'data', but this item has no file there": {
		files: { attachment_0: textFile('a.txt') },
	},
	"The file from 'Input Data Field Name' does not come from a node before this one": {
		parameters: { binaryPropertyName: '={{ { id: "filesystem-v2:x", mimeType: "text/plain" } }}' },
	},
	"'Input Data Field Name' does not give a file with its content": {
		parameters: { binaryPropertyName: '={{ $binary.data }}' },
	},
	'There is no file to upload': { parameters: { binaryPropertyName: '*' }, files: {} },
	"Skipped logo.png: its type is image/png, not one of 'MIME Types'": {
		parameters: { binaryPropertyName: '*', options: { mimeTypes: 'application/pdf' } },
		files: { data: textFile('logo.png', 'logo', 'image/png') },
	},
};

it('the page of failures lists every message on top, with the section that explains it', () => {
	const rows = [...FAILURES.top.matchAll(/^\| (.+) \| \[(\d+)\]\(#\d+-[^)]+\) \|$/gm)];
	const missing = QUOTES.filter(
		({ heading, quote }) =>
			!rows.some(
				([, message, section]) => heading.startsWith(`${section}. `) && quote.startsWith(message),
			),
	);

	expect(QUOTES.length).toBeGreaterThan(10);
	expect(missing).toEqual([]);
});

it.each(QUOTES.filter(({ quote }) => !(quote in UNSENT)))(
	'the page of failures quotes what is said: $quote',
	({ quote }) => expect(SAID).toContainEqual(expect.stringContaining(anyFile(quote))),
);

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
