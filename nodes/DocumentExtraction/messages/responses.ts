/** The words for responses that are no success. */
import type { Facts } from '../api/callError';
import { OTHER_PROGRAM, WORKFLOW_ID_LABEL } from '../account/credential';
import { API_DETAILS, labelsOf, type ApiDetail } from '../account/apiDetails';
import { sentences } from '../api/sentences';
import { nameInMessage } from '../http/redact';
import { missingFields, missingFormFields, refusedIds } from './fields';
import { bodiesOf, ifRead, type Call, type Rules } from './rule';

type FailedResponse = Facts<'response'>;

const isStatus =
	(...statuses: number[]) =>
	({ statusCode }: FailedResponse) =>
		statuses.includes(statusCode);

const USUALLY_TEMPORARY = 'This is usually temporary. Try again later.';
const NOT_FOUND = 'The service cannot find what was requested';
const INVALID = 'The service found values that it does not accept';

const fileOr = ({ fileName }: Call, otherwise: string) =>
	fileName === undefined ? otherwise : nameInMessage(fileName);

const notAccepted = (facts: FailedResponse) =>
	facts.statusCode === 422 ? INVALID : `The service did not accept ${fileOr(facts, 'the request')}`;

const isEndpoint = (detail: ApiDetail) =>
	detail === 'workflowEndpoint' || detail === 'uploadUrlEndpoint';

/** What a 422 is about, of all that a call is made from: its body. */
const blamed = (facts: FailedResponse) => {
	const bodies = bodiesOf(facts);
	return facts.statusCode === 422 && bodies.length > 0 ? bodies : facts.suspects;
};

const inCredential = (facts: FailedResponse) =>
	`${labelsOf(blamed(facts), ' and ')} in the credential`;

const checkWorkflow = ({ workflowId, environment, address, reason }: Call) =>
	sentences(
		`Is '${WORKFLOW_ID_LABEL}' (${workflowId}), in the credential or in this node's options, the ID from the workflow's page at the service, in its ${environment} environment? Test and live have different IDs.`,
		!reason?.missing && 'Also check the IDs of documents and collections that you entered.',
		`Otherwise, check 'Base URL' in the credential (${address}).`,
	);

export const RESPONSES: Rules<FailedResponse> = {
	'proxy asks for a password': {
		when: isStatus(407),
		message: ({ peer }) => `The proxy between n8n and the ${peer} asks for a user and a password`,
		advice: ({ peer, realm }) =>
			`Show this to whoever runs your n8n. Nothing was sent to the ${peer}${realm ? `: the proxy, which calls itself “${realm}”, let nothing through` : ''}. n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment. Enter user and password there, as in http://user:password@proxy.example.com:3128, with special characters percent-encoded, and restart n8n. If the ${peer} should be reached without the proxy, name its host in NO_PROXY.`,
	},
	redirect: {
		when: ({ statusCode }) => statusCode >= 300 && statusCode < 400,
		message: ({ peer }) => `The ${peer} redirects the request to another address`,
		advice: ({ peer, location }) =>
			peer === 'service'
				? `${location ? `The new address is ${location}` : 'No new address is given'}: ask your account team, and correct 'Base URL' or the endpoints in the credential. The node does not follow redirects, so that the API key is sent nowhere else.`
				: 'The node does not follow redirects. Ask your account team for URLs that do not redirect.',
	},
	'rate limit': {
		when: ({ peer, statusCode }) => peer === 'service' && statusCode === 429,
		message: 'The service received too many requests',
		advice: ({ retryAfterMs = 0, isPauseTooLong }) =>
			sentences(
				isPauseTooLong
					? `It asks for a pause of ${Math.ceil(retryAfterMs / 60_000)} minutes, longer than the node waits. Run this again after that.`
					: 'For five minutes the node paused and tried again, and the service went on refusing. Run this again later.',
				'If it happens often, run fewer workflows with this API key at the same time, or ask your account team for a higher limit.',
			),
	},
	'web page': {
		when: ({ reason }) => reason?.isTitle === true,
		message: ({ peer }) => `A web page came back instead of a response from the ${peer}`,
		advice: (facts) => {
			const { peer, isUpload, statusCode, suspects } = facts;
			if (peer === 'service' && (statusCode < 300 || [404, 405].includes(statusCode))) {
				const endpoints = suspects.filter(isEndpoint);
				const others = endpoints.length > 0 ? ` or ${labelsOf(endpoints, ' or ')}` : '';
				return `'Base URL'${others} in the credential probably leads to a website, not to the API: enter what your account team or your API reference says.`;
			}
			return sentences(
				`It usually comes from a proxy or firewall between n8n and the ${peer}.`,
				peer === 'service' && isUpload && statusCode === 413
					? "The file is probably larger than it allows. Set 'Upload Method' to Signed URL: the file then goes straight to storage."
					: statusCode < 500
						? 'Show this message to whoever runs your n8n, or to your account team.'
						: ifRead(facts, USUALLY_TEMPORARY),
			);
		},
	},
	'storage gives no file': {
		when: ({ peer, statusCode }) => peer === 'storage' && statusCode < 300,
		message: 'The response of the storage is not a file',
		advice: 'Check which field of the response holds the URL of the file.',
	},
	'storage is down': {
		when: ({ peer, mayPass }) => peer === 'storage' && mayPass === true,
		message: 'The storage could not handle the request',
		advice: USUALLY_TEMPORARY,
	},
	// For a missing header, Azure responds 400, and S3 responds 403, as the signature covers headers.
	'signed URL refused': {
		when: ({ peer }) => peer === 'storage',
		message: 'The storage refused the signed URL',
		advice: ({ isUpload, statusCode }) => {
			if (!isUpload) return 'The URL may have expired: run this again.';
			const others = `URL may have expired or been used already, or it was made for a file of another type or size. Run this again. If it stays so, compare '${API_DETAILS.uploadUrlBody.label}' in the credential with what Workflow › Check Setup finds, or show this to your account team.`;
			return [400, 403].includes(statusCode)
				? `If the response with the URL contains headers for the upload, '${API_DETAILS.uploadHeadersField.label}' in the credential must name their field: Workflow › Check Setup finds it. Otherwise, the ${others}`
				: `The ${others}`;
		},
	},
	'no JSON': {
		when: ({ statusCode }) => statusCode < 300,
		message: 'The response of the service is incomplete or not in the expected form',
		advice: ({ reason }) =>
			`It should be JSON, but ${reason?.text ? 'cannot be read as JSON' : 'it is empty'}.`,
	},
	'service is down': {
		when: ({ statusCode }) => statusCode >= 500 || statusCode === 408,
		message: 'The service could not handle the request',
		advice: (facts) => ifRead(facts, USUALLY_TEMPORARY),
	},
	'key refused': {
		when: isStatus(401, 403),
		message: ({ statusCode }) =>
			statusCode === 401 ? 'The service refused the API key' : 'The service refused access',
		advice: ({ statusCode, environment, workflowId }) =>
			statusCode === 401
				? `Copy the whole key again from the API settings of your account into 'API Key' in the credential: a ${environment} key, as workflow '${workflowId}' is used in ${environment}. If that does not help, create a new key with the scope that this operation needs. ${OTHER_PROGRAM}`
				: `In the API settings of your account, check that the key has the scope that this operation needs, and that it is for workflow '${workflowId}' in ${environment}. If not, create a key that is, and enter it in 'API Key' in the credential. If it is, ask your account team.`,
		cause: ({ statusCode }) => (statusCode === 401 ? 'credential-invalid' : undefined),
	},
	'collection or column not found': {
		when: ({ statusCode, reason }) =>
			statusCode === 404 && ['collection', 'column'].includes(String(reason?.missing)),
		message: NOT_FOUND,
		advice: ({ reason }) =>
			reason?.missing === 'column'
				? "Choose 'Column Names or IDs' of this node from its list, or enter IDs that Workflow › Get shows."
				: "Choose the collection in 'Collection' of this node from the list, or enter the ID that Workflow › Get shows, and no name.",
	},
	'collection expected': {
		when: ({ statusCode, isUpload, reason }) =>
			statusCode === 422 &&
			isUpload === true &&
			missingFields(reason).some((name) => name.startsWith('collection_')),
		message: INVALID,
		advice:
			"The service wants a collection for each document: choose one in 'Collection' of this node.",
	},
	'form field missing': {
		when: ({ statusCode, isUpload, suspects, reason }) =>
			statusCode === 422 &&
			isUpload === true &&
			suspects.length > 0 &&
			missingFormFields(reason).length > 0,
		message: 'The upload lacks a form field that the service expects',
		advice: ({ reason }) => {
			const names = missingFormFields(reason).map((name) => `'${name}'`);
			const field = `'${API_DETAILS.uploadFileField.label}' in the credential`;
			return names.length > 1
				? `The service expects the form fields ${names.join(', ')}. Enter the one that carries the file in ${field}.`
				: `The service expects the form field ${names[0]}. If that is the field for the file, enter this name in ${field}. If not, the node cannot send it: ask your account team.`;
		},
	},
	'body lacks a field': {
		when: (facts) =>
			facts.statusCode === 422 &&
			bodiesOf(facts).length > 0 &&
			missingFields(facts.reason).length > 0,
		message: INVALID,
		advice: (facts) =>
			`Correct ${inCredential(facts)}: it lacks ${missingFields(facts.reason)
				.map((name) => `'${name}'`)
				.join(', ')}. Workflow › Check Setup shows what the endpoint accepts.`,
	},
	'ID from a response is none': {
		when: ({ statusCode, suspects, reason }) =>
			suspects.includes('documentIdField') &&
			(statusCode === 404
				? reason?.missing !== 'workflow'
				: statusCode === 422 &&
					(!reason?.entries || refusedIds(reason, ['document_id', 'document_ids']).length > 0)),
		message: ({ statusCode }) => (statusCode === 404 ? NOT_FOUND : INVALID),
		advice: `'${API_DETAILS.documentIdField.label}' in the credential probably finds something else than the document's ID, so an ID below is wrong, too. Document › Get Many shows the right one: continue with it in Extraction › Extract Documents. For the next run, look in the output of Document › Upload, under 'response', for the field that holds this ID, and enter its name in '${API_DETAILS.documentIdField.label}'.`,
	},
	'ID refused at the confirmation': {
		when: ({ statusCode, changes, reason }) =>
			changes === 'confirmation' &&
			(statusCode === 404
				? reason?.missing === 'document'
				: statusCode === 422 && refusedIds(reason, ['document_id', 'document_ids']).length > 0),
		message: ({ statusCode }) => (statusCode === 404 ? NOT_FOUND : INVALID),
		advice: `Document › Get Many shows the document's ID. If it differs from the one here, enter it in Document › Confirm Upload and, after an upload, correct '${API_DETAILS.documentIdField.label}' in the credential. If it is the same, correct '${API_DETAILS.confirmBody.label}' there, as Workflow › Check Setup says.`,
	},
	'names in place of IDs': {
		when: ({ statusCode, reason }) => statusCode === 422 && refusedIds(reason).length > 0,
		message: INVALID,
		advice: ({ reason }) =>
			`Enter only IDs that the service knows here, and no names, in ${refusedIds(reason)
				.map((label) => `'${label}'`)
				.join(
					' and ',
				)} of this node. Workflow › Get shows those of columns and collections, which are also in the fields' lists; Document › Get Many shows those of documents.`,
	},
	'document not found': {
		when: ({ statusCode, reason }) => statusCode === 404 && reason?.missing === 'document',
		message: NOT_FOUND,
		advice: `Check the document's ID: Document › Get Many shows those of this workflow. For uploads, check '${API_DETAILS.documentIdField.label}' in the credential.`,
	},
	'endpoint not found': {
		when: ({ statusCode, isUpload, suspects, reason }) =>
			statusCode === 404 && !isUpload && suspects.length > 0 && reason?.missing !== 'workflow',
		message: NOT_FOUND,
		advice: (facts) =>
			`Compare ${inCredential(facts)} with your API reference first, or with what Workflow › Check Setup finds. ${checkWorkflow(facts)}`,
	},
	'workflow not found': { when: isStatus(404), message: NOT_FOUND, advice: checkWorkflow },
	'too large': {
		when: isStatus(413),
		message: (facts) => `${fileOr(facts, 'The request')} is too large for the service`,
		advice: ({ isUpload, fileName }) => {
			if (isUpload) return "Set 'Upload Method' to Signed URL, which is made for large files.";
			return fileName === undefined
				? 'Send less at a time.'
				: 'Ask your account team how large files may be.';
		},
	},
	'type of file refused': {
		when: ({ statusCode, isUpload }) => statusCode === 415 && isUpload === true,
		message: (facts) => `The service does not accept the type of ${fileOr(facts, '')}`,
		advice: "To leave out such files, list the types to upload in 'MIME Types'.",
	},
	'file refused': {
		when: ({ statusCode, isUpload, fileName, suspects }) =>
			suspects.length === 0
				? fileName !== undefined && [400, 422].includes(statusCode)
				: isUpload === true && statusCode === 400,
		message: notAccepted,
		advice: ({ suspects }) =>
			suspects.length === 0
				? 'Other files were uploaded in this run, so the reason is probably this file, or a limit of your account such as a quota. Repair the file, or leave it out.'
				: `The reason is probably in this file: repair it, or leave it out. If no upload has worked with this credential yet, also check ${labelsOf(suspects, ' and ')} in it.`,
	},
	'method refused': {
		when: isStatus(405),
		message: 'The service did not accept the request',
		advice:
			"This address does not accept such requests. Check 'Base URL' and the endpoints in the credential.",
	},
	'account refuses': {
		when: isStatus(402),
		message: notAccepted,
		advice: 'The reason is your account, not this node: ask your account team.',
	},
	'already there': {
		when: ({ statusCode, changes }) => statusCode === 409 && changes !== undefined,
		message: notAccepted,
		advice: ({ changes }) =>
			changes === 'extraction'
				? 'If an extraction is running already, wait until it is over, and read the results with Extraction › Get Many.'
				: 'Look with Document › Get Many whether the document is there already.',
	},
	'request refused': {
		message: notAccepted,
		advice: (facts) =>
			`Check ${facts.isUpload ? 'the file and ' : ''}the fields of this node${
				facts.suspects.length > 0 ? `, and ${inCredential(facts)}` : ''
			}.`,
	},
};
