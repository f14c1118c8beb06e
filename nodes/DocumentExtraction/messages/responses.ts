/** The words for responses that are no success. */
import type { Facts } from '../service/callError';
import { OTHER_PROGRAM, WORKFLOW_ID_LABEL } from '../account/credential';
import { DETAIL_GROUPS, labelsOf } from '../account/apiDetails';
import { sentences } from '../service/sentences';
import { nameInMessage } from '../http/redact';
import type { Rules } from './rules';

type FailedResponse = Facts<'response'>;

const isStatus =
	(...statuses: number[]) =>
	({ statusCode }: FailedResponse) =>
		statuses.includes(statusCode);

const fileOr = ({ fileName }: FailedResponse, otherwise: string) =>
	fileName === undefined ? otherwise : nameInMessage(fileName);

const refused = (facts: FailedResponse) =>
	`The service did not accept ${fileOr(facts, 'the request')}`;

/** What follows from a field that leads to something else than the ID of a document. */
const WRONG_IDS =
	"If you have to correct 'Document ID Field', do not use the IDs below: Document › Get Many shows the right ones.";

export const RESPONSES: Rules<FailedResponse> = {
	'proxy asks for a password': {
		when: isStatus(407),
		message: ({ peer }) => `The proxy between n8n and the ${peer} asks for a user and a password`,
		advice: ({ peer }) =>
			`Show this to whoever runs your n8n. Nothing was sent to the ${peer}. n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment. Enter user and password there, as in http://user:password@proxy.example.com:3128, with special characters percent-encoded, and restart n8n. If the ${peer} should be reached without the proxy, name its host in NO_PROXY.`,
	},
	redirect: {
		when: ({ statusCode }) => statusCode >= 300 && statusCode < 400,
		message: ({ peer }) => `The ${peer} redirects the request to another address`,
		advice: ({ peer, location }) =>
			sentences(
				location !== '' && `The new address is ${location}.`,
				peer === 'service'
					? "Ask your account team, and correct 'Base URL' or the endpoints in the credential. The node does not follow redirects, so that the API key is sent nowhere else."
					: 'Ask your account team for URLs that do not redirect.',
			),
	},
	'rate limit': {
		when: ({ peer, statusCode }) => peer === 'service' && statusCode === 429,
		message: 'The service received too many requests',
		advice: ({ retryAfterMs = 0, isPauseTooLong }) =>
			sentences(
				isPauseTooLong
					? `It asks for a pause of ${Math.ceil(retryAfterMs / 60_000)} minutes, longer than the node waits. Run this again after that.`
					: 'For five minutes the node paused and tried again, and the service kept refusing. Run this again later.',
				'If it happens often, run fewer executions with this API key at the same time, or ask your account team for a higher limit.',
			),
	},
	'too large': {
		when: ({ peer, statusCode }) => peer === 'service' && statusCode === 413,
		message: (facts) => `${fileOr(facts, 'The request')} is too large for the service`,
		advice: ({ isUpload }) =>
			isUpload
				? `Set 'Upload Method' to Signed URL, which is made for large files. It needs '${DETAIL_GROUPS.signedUploads.label}' in the credential: Workflow › Check Setup says what to enter there.`
				: "Lower 'Documents per Call' in the options, if there is such a field, or show this to your account team.",
	},
	'web page': {
		when: ({ reason }) => reason?.isTitle === true,
		message: ({ peer }) => `A web page came back instead of a response from the ${peer}`,
		advice: ({ peer, statusCode, isOutcomeUnknown }) =>
			peer === 'service' && (statusCode < 300 || [404, 405].includes(statusCode))
				? "'Base URL' in the credential, or an endpoint there, probably leads to a website, not to the API: enter what your account team or your API reference says."
				: sentences(
						`It comes from the ${peer}, or from a proxy or firewall on the way to it.`,
						!isOutcomeUnknown && 'Try again later.',
						'If it stays so, show this to your account team or, if the service works for others, to whoever runs your n8n.',
					),
	},
	'storage gives no file': {
		when: ({ peer, statusCode }) => peer === 'storage' && statusCode < 300,
		message: 'The response of the storage is not a file',
		advice: "Check 'Download URL Field' in the options.",
	},
	'server is down': {
		when: ({ peer, statusCode, mayPass }) =>
			peer === 'storage' ? mayPass === true : statusCode >= 500 || statusCode === 408,
		message: ({ peer }) => `The ${peer} could not handle the request`,
		// Of a write, what it may have done comes first.
		advice: ({ isOutcomeUnknown }) =>
			isOutcomeUnknown
				? ''
				: 'This is usually temporary. Try again later. If it stays so, show this to your account team.',
	},
	'signed URL refused': {
		when: ({ peer }) => peer === 'storage',
		message: 'The storage refused the signed URL',
		// A missing header is one reason: the signature may cover headers.
		advice: ({ isUpload }) =>
			sentences(
				'The URL may have expired: run this again.',
				isUpload &&
					`If it stays so, the URL was made for a file of another type or size, or headers are missing: compare ${labelsOf(['uploadUrlBody', 'uploadHeadersField'], ' and ')} in the credential with what Workflow › Check Setup finds. If there is no difference, show this to your account team.`,
			),
	},
	'no JSON': {
		when: ({ statusCode }) => statusCode < 300,
		message: 'The response of the service is incomplete or not in the expected form',
		advice:
			"It should be JSON. If it stays so, check 'Base URL' in the credential, or show this to your account team.",
	},
	'key refused': {
		when: isStatus(401),
		message: 'The service refused the API key',
		advice: ({ environment, workflowId }) =>
			`Copy the whole key again from the API settings of your account into 'API Key' in the credential: a ${environment} key, as workflow '${workflowId}' is used in ${environment}. If that does not help, create a new key with the scope that this operation needs. ${OTHER_PROGRAM}`,
		cause: 'credential-invalid',
	},
	'access refused': {
		when: isStatus(403),
		message: 'The service refused access',
		advice: ({ environment, workflowId }) =>
			`In the API settings of your account, check that the key has the scope that this operation needs, and that it is for workflow '${workflowId}' in ${environment}. If not, create a key that is, and enter it in 'API Key' in the credential. If it is, ask your account team.`,
	},
	'not found': {
		when: isStatus(404, 405),
		message: 'The service cannot find what was requested',
		advice: ({ isUpload, suspects, workflowId, environment, address }) =>
			sentences(
				'If the service names a document, collection or column, check its ID: a name does not work in its place.',
				!isUpload &&
					suspects.length > 0 &&
					`Compare ${labelsOf(suspects, ' and ')} in the credential with your API reference, or with what Workflow › Check Setup finds.`,
				suspects.includes('documentIdField') && WRONG_IDS,
				`Is '${WORKFLOW_ID_LABEL}' (${workflowId}), in the credential or in this node's options, the ID from the workflow's page at the service, in its ${environment} environment? Test and live have different IDs.`,
				`Otherwise, compare 'Base URL' in the credential (${address}) with what your account team says. If all of this is right, or it worked before, show them this: the document or the workflow may have been deleted.`,
			),
	},
	'account refuses': {
		when: isStatus(402),
		message: refused,
		advice: 'The reason is your account, not this node: ask your account team.',
	},
	'already there': {
		when: ({ statusCode, changes }) => statusCode === 409 && changes !== undefined,
		message: refused,
		advice:
			'It may have been done before, or an extraction is still running: look with Document › Get Many or Extraction › Get Many before you repeat it.',
	},
	'request refused': {
		message: refused,
		advice: ({ fileName, suspects }) =>
			sentences(
				suspects.length > 0 &&
					`If the service says that a field is missing or wrong, correct ${labelsOf(suspects, ' and ')} in the credential: Workflow › Check Setup shows what the service expects.`,
				suspects.includes('documentIdField') && WRONG_IDS,
				fileName === undefined
					? 'Check the fields of this node: where one takes an ID, a name does not work. If they are right, show this to your account team.'
					: "Open the file: if it is damaged, protected by a password or of a type that the service does not read, send a better copy, or leave it out, e.g. with 'MIME Types' in the options. If it is fine, show this to your account team.",
			),
	},
};
