import { UserError } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { checkedWorkflowId } from './connection';
import { serviceAddress } from './credential';
import {
	CERTIFICATE_CODE,
	hasSuccessStatus,
	isWebPage,
	lowestCause,
	parsedJson,
	type RawAnswer,
} from './errors';
import { isPage } from './pages';
import { OWN_JUDGEMENT, rawAnswer } from './request';

const REFUSED_KEY =
	"Check that 'API Key' is complete, belongs to this environment, is not revoked and may read the workflow.";

/** What a status means where nothing but the credential can be wrong. */
const MEANINGS = new Map([
	[401, `The service refused the API key (401). ${REFUSED_KEY}`],
	[403, `The service refused the API key (403). ${REFUSED_KEY}`],
	[
		404,
		"The service does not know this workflow (404). Check 'Workflow ID', that it belongs to the chosen environment (test and live workflows have different IDs), and 'Base URL'.",
	],
	[422, "The service does not accept this 'Workflow ID' (422). Copy it again."],
	[
		429,
		'The service received too many requests (429). The settings may be right: try again in a minute.',
	],
]);

/**
 * Sends the request of the credential's test, and judges the answer in words.
 * @param request signed, as n8n is about to send it
 * @throws UserError with all that the user will read: n8n shows the message alone
 */
export async function assertServiceAnswers(
	{ helpers }: IHttpRequestHelper,
	credential: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
): Promise<void> {
	checkedWorkflowId(credential.workflowId, "The credential's 'Workflow ID'");
	const problem = await helpers
		.httpRequest({ ...request, encoding: 'arraybuffer', ...OWN_JUDGEMENT })
		.then(
			(response: IN8nHttpFullResponse) => problemWith(rawAnswer(response)),
			(cause: unknown) =>
				`n8n cannot reach the service at ${serviceAddress(credential.baseUrl)}: ${obstacle(cause)}. Check 'Base URL', and that n8n's network lets it through.`,
		);
	if (problem) throw new UserError(problem);
}

/** In words: n8n puts a sentence of its own in place of a message with a code such as ECONNREFUSED. */
function obstacle(cause: unknown): string {
	const { code = '' } = lowestCause(cause);
	if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'no host of this name is known';
	if (code === 'ECONNREFUSED') return 'nothing listens there';
	if (CERTIFICATE_CODE.test(code)) {
		return "n8n does not trust the host's certificate (if it is your own, add its authority to n8n with NODE_EXTRA_CA_CERTS)";
	}
	return 'there is no answer';
}

function problemWith(answer: RawAnswer): string | undefined {
	const { statusCode: status, text } = answer;
	const isSuccess = hasSuccessStatus(answer);
	if (isSuccess && !isWebPage(answer) && isPage(parsedJson(text))) return undefined;
	if (status >= 300 && status < 400) {
		return `The address redirects to another one (${status}), and the node does not follow, so that the API key stays with 'Base URL'. Enter the final address there.`;
	}
	if (isSuccess || isWebPage(answer)) {
		return `The address answered, but not as the extraction service does (${status}): probably a web page or a proxy. Check 'Base URL'.`;
	}
	return (
		MEANINGS.get(status) ??
		`The service could not answer (${status}). The settings may be right: try again later.`
	);
}
