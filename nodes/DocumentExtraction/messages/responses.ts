/** The words for responses that are no success. */
import type { Facts } from '../service/callError';
import type { Reason } from '../service/reason';
import { OTHER_PROGRAM, WORKFLOW_ID_LABEL } from '../account/credential';
import { API_DETAILS, labelsOf, type ApiDetail } from '../account/apiDetails';
import { sentences } from '../service/sentences';
import { nameInMessage } from '../http/redact';
import { bodiesOf, ifRead, type Call, type Rules } from './rules';

type FailedResponse = Facts<'response'>;

const isStatus =
	(...statuses: number[]) =>
	({ statusCode }: FailedResponse) =>
		statuses.includes(statusCode);

const USUALLY_TEMPORARY = 'This is usually temporary. Try again later.';

const fileOr = ({ fileName }: Call, otherwise: string) =>
	fileName === undefined ? otherwise : nameInMessage(fileName);

const refused = (facts: FailedResponse) => {
	if (facts.statusCode === 404) return 'The service cannot find what was requested';
	if (facts.statusCode === 422) return 'The service found values that it does not accept';
	return `The service did not accept ${fileOr(facts, 'the request')}`;
};

const isEndpoint = (detail: ApiDetail) =>
	detail === 'workflowEndpoint' || detail === 'uploadUrlEndpoint';

/** What a 422 is about, of all that a call is made from: its body. */
const blamed = (facts: FailedResponse) => {
	const bodies = bodiesOf(facts);
	return facts.statusCode === 422 && bodies.length > 0 ? bodies : facts.suspects;
};

const quoted = (names: string[]) => names.map((name) => `'${name}'`).join(', ');

const inCredential = (facts: FailedResponse) =>
	`${labelsOf(blamed(facts), ' and ')} in the credential`;

const checkWorkflow = ({ workflowId, environment, address, reason }: Call) =>
	sentences(
		`Is '${WORKFLOW_ID_LABEL}' (${workflowId}), in the credential or in this node's options, the ID from the workflow's page at the service, in its ${environment} environment? Test and live have different IDs.`,
		!reason?.missing && 'Also check the IDs of documents and collections that you entered.',
		`Otherwise, check 'Base URL' in the credential (${address}).`,
	);

/** The fields of requests (interface.md §4), by the names in the node's panel. */
const LABELS = new Map<unknown, string>([
	['workflow_id', WORKFLOW_ID_LABEL],
	['document_id', 'Document ID'],
	['document_ids', 'Document IDs'],
	['collection_id', 'Collection'],
	['collection_name', 'Collection'],
	['column_ids', 'Column Names or IDs'],
	['force', 'Force'],
	['label_order', 'Label Order'],
	['page', 'Page'],
	['limit', 'Limit'],
]);

/** The first entry of a `loc`: the part of the request that the field is in. */
const PLACES = new Set<unknown>(['body', 'query', 'path']);

/** `["body", "document_ids", 2]` → `Document IDs, entry 3`. */
export function fieldName(loc: Array<string | number>, isOwnName: boolean): string {
	const steps = PLACES.has(loc[0]) ? loc.slice(1) : loc;
	return (
		steps
			.map((step) =>
				typeof step === 'number' ? `entry ${step + 1}` : (!isOwnName && LABELS.get(step)) || step,
			)
			.join(', ') || 'Request'
	);
}

/** The fields that a body lacks, by the service's reason. */
function missingFields({ entries = [] }: Reason = { text: '' }): string[] {
	const names = entries.flatMap(({ loc, isMissing }) =>
		isMissing && loc[0] === 'body' && loc.length > 1 ? loc.slice(-1) : [],
	);
	return names.filter((name) => typeof name === 'string');
}

/** The form fields that an upload lacks and the node has no field for: one of them may carry the file. */
function missingFormFields(reason: Reason | undefined): string[] {
	return missingFields(reason).filter((name) => !LABELS.has(name));
}

const DOCUMENT_IDS = ['document_id', 'document_ids'];

/** Whether the service refuses the value of a field for IDs. */
function isIdRefused(reason: Reason | undefined): boolean {
	return refusesAny(reason, ['column_ids', 'collection_id', ...DOCUMENT_IDS]);
}

/** Whether the service refuses the ID of a document, or does not know it. */
function isDocumentRefused(reason: Reason | undefined): boolean {
	return reason?.missing === 'document' || refusesAny(reason, DOCUMENT_IDS);
}

function refusesAny({ entries = [] }: Reason = { text: '' }, fields: string[]): boolean {
	return entries.some(
		({ loc, isMissing }) => !isMissing && fields.some((field) => loc.includes(field)),
	);
}

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
	'server is down': {
		when: ({ peer, statusCode, mayPass }) =>
			peer === 'storage' ? mayPass === true : statusCode >= 500 || statusCode === 408,
		message: ({ peer }) => `The ${peer} could not handle the request`,
		advice: (facts) => ifRead(facts, USUALLY_TEMPORARY),
	},
	// A missing header is one reason: the signature may cover headers.
	'signed URL refused': {
		when: ({ peer }) => peer === 'storage',
		message: 'The storage refused the signed URL',
		advice: ({ isUpload }) =>
			isUpload
				? `If the response with the URL contains headers for the upload, '${API_DETAILS.uploadHeadersField.label}' in the credential must name their field: Workflow › Check Setup finds it. Otherwise, the URL may have expired or been used already, or it was made for a file of another type or size. Run this again. If it stays so, compare '${API_DETAILS.uploadUrlBody.label}' in the credential with what Workflow › Check Setup finds, or show this to your account team.`
				: 'The URL may have expired: run this again.',
	},
	'no JSON': {
		when: ({ statusCode }) => statusCode < 300,
		message: 'The response of the service is incomplete or not in the expected form',
		advice: ({ reason }) =>
			`It should be JSON, but ${reason?.text ? 'cannot be read as JSON' : 'it is empty'}.`,
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
	'form field missing': {
		when: ({ statusCode, isUpload, suspects, reason }) =>
			statusCode === 422 &&
			isUpload === true &&
			suspects.length > 0 &&
			missingFormFields(reason).length > 0,
		message: 'The upload lacks a form field that the service expects',
		advice: ({ reason }) =>
			`It lacks ${quoted(missingFormFields(reason))}. If the file belongs there, enter the name of its field in '${API_DETAILS.uploadFileField.label}' in the credential. If not, the node cannot send it: ask your account team.`,
	},
	'body lacks a field': {
		when: (facts) =>
			facts.statusCode === 422 &&
			bodiesOf(facts).length > 0 &&
			missingFields(facts.reason).length > 0,
		message: refused,
		advice: (facts) =>
			`Correct ${inCredential(facts)}: it lacks ${quoted(missingFields(facts.reason))}. Workflow › Check Setup shows what the endpoint accepts.`,
	},
	'ID from a response is none': {
		when: ({ statusCode, suspects, reason }) =>
			suspects.includes('documentIdField') &&
			(statusCode === 404
				? reason?.missing !== 'workflow'
				: statusCode === 422 && (!reason?.entries || isDocumentRefused(reason))),
		message: refused,
		advice: `'${API_DETAILS.documentIdField.label}' in the credential probably finds something else than the document's ID, so an ID below is wrong, too. Document › Get Many shows the right one: continue with it in Extraction › Extract Documents. For the next run, look in the output of Document › Upload, under 'response', for the field that holds this ID, and enter its name in '${API_DETAILS.documentIdField.label}'.`,
	},
	'ID not accepted': {
		when: ({ statusCode, reason }) =>
			statusCode === 404
				? reason?.missing !== undefined && reason.missing !== 'workflow'
				: statusCode === 422 && isIdRefused(reason),
		message: refused,
		advice: (facts) =>
			sentences(
				"Enter an ID, and no name: Document › Get Many shows those of documents, Workflow › Get and the fields' lists those of columns and collections.",
				isDocumentRefused(facts.reason) &&
					`If an upload gave the ID, also check ${labelsOf(['documentIdField', ...blamed(facts)], ' and ')} in the credential.`,
			),
	},
	'not found': {
		when: isStatus(404),
		message: refused,
		advice: (facts) =>
			sentences(
				!facts.isUpload &&
					facts.suspects.length > 0 &&
					facts.reason?.missing !== 'workflow' &&
					`Compare ${inCredential(facts)} with your API reference first, or with what Workflow › Check Setup finds.`,
				checkWorkflow(facts),
			),
	},
	'too large': {
		when: isStatus(413),
		message: (facts) => `${fileOr(facts, 'The request')} is too large for the service`,
		advice: ({ isUpload }) =>
			isUpload
				? "Set 'Upload Method' to Signed URL, which is made for large files."
				: 'Send less at a time, or ask your account team about the limit.',
	},
	'type of file refused': {
		when: ({ statusCode, isUpload }) => statusCode === 415 && isUpload === true,
		message: (facts) => `The service does not accept the type of ${fileOr(facts, '')}`,
		advice: "To leave out such files, list the types to upload in 'MIME Types'.",
	},
	'file refused': {
		when: ({ statusCode, isUpload, fileName, suspects, reason }) =>
			suspects.length === 0
				? fileName !== undefined && [400, 422].includes(statusCode) && !missingFields(reason).length
				: isUpload === true && statusCode === 400,
		message: refused,
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
		message: refused,
		advice: 'The reason is your account, not this node: ask your account team.',
	},
	'already there': {
		when: ({ statusCode, changes }) => statusCode === 409 && changes !== undefined,
		message: refused,
		advice: ({ changes }) =>
			changes === 'extraction'
				? 'If an extraction is running already, wait until it is over, and read the results with Extraction › Get Many.'
				: 'Look with Document › Get Many whether the document is there already.',
	},
	'request refused': {
		message: refused,
		advice: (facts) =>
			`Check ${facts.isUpload ? 'the file and ' : ''}the fields of this node${
				facts.suspects.length > 0 ? `, and ${inCredential(facts)}` : ''
			}.`,
	},
};
