import type { ConnectionProblem } from '../../http/causes';
import type { Failure } from '../../http/failure';
import { redact } from '../../http/redact';
import type { Client } from '../client';
import type { CallContext } from './callContext';
import type { Words } from './callError';
import { asSentence } from '../sentences';

const MEANINGS: { [code: string]: string } = {
	ENOTFOUND: 'no server has this name',
	ECONNREFUSED:
		'nothing listens at this port; for n8n in a container, 127.0.0.1 and localhost are the container itself',
};

const CONNECTION_WORDS: {
	[problem in Exclude<ConnectionProblem, 'not sent' | 'unknown'>]: (
		peer: string,
		where: string,
		code: string,
	) => Words;
} = {
	'not reached': (peer, where, code) => ({
		message: `The ${peer} cannot be reached`,
		description: `No connection to ${where} could be made (${code}${code in MEANINGS ? `: ${MEANINGS[code]}` : ''}). ${peer === 'service' ? "Check 'Base URL' in the credential, and whether" : 'Check whether'} n8n's network allows the connection.`,
	}),
	'no TLS': (peer, where, code) => ({
		message: `The ${peer} does not speak https at this address`,
		description: `No encrypted connection to ${where} could be made (${code}). Check 'Base URL' in the credential, its https:// and its port.`,
	}),
	'certificate not trusted': (peer, where, code) => ({
		message: `The ${peer} has a certificate that n8n does not trust`,
		description: `The connection to ${where} was not made (${code}). If the certificate is your own, add its authority to n8n with NODE_EXTRA_CA_CERTS.`,
	}),
	broken: (peer, where, code) => ({
		message: `The connection broke before the ${peer} responded`,
		description: `The connection to ${where} ended too early (${code}).`,
	}),
	'file not kept': (_peer, _where, code) => ({
		message: 'n8n could not read or save a file',
		description: `The disk or storage where n8n keeps binary data may be full or missing (${code}).`,
	}),
};

/** The words for a connection that ended without a response. */
export function wordsForConnection(
	{ address, credential }: Client,
	{ peer }: CallContext,
	{ problem, cause }: Extract<Failure, { kind: 'connection' }>,
): Words {
	const reason = asSentence(redact(cause.message, credential.apiKey));
	if (problem === 'not sent') return { message: 'The request was not sent', description: reason };
	if (problem === 'unknown') {
		return { message: `The request to the ${peer} did not succeed`, description: reason };
	}
	const where = peer === 'storage' ? 'the storage' : address;
	return CONNECTION_WORDS[problem](peer, where, cause.code ?? '');
}
