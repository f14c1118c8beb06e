import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { type Service, startService } from '../../../test/support/service.ts';
import { extractionNode, chain, credentialType, manualTrigger } from '../../n8n/workflow.ts';
import type { Fault } from '../../service/faults.ts';
import type { Account } from '../../n8n/stage.ts';
import type { Stage } from '../stage.ts';

interface Situation {
	name: string;
	/** What is wrong with the credential. */
	wrong?(account: Account): ICredentialDataDecryptedObject;
	/** How the service answers. */
	fault?: Fault;
	message: RegExp;
	/** What n8n 1.123 and 2.8 say of their own accord: they have no use for the texts of `rules`. */
	older?: RegExp;
}

const status = (code: number): Fault => ({ type: 'status', status: code });

const situations: Situation[] = [
	{
		name: 'a revoked key',
		wrong: ({ service }) => ({ apiKey: service.account.environments.test.keys.revoked }),
		message:
			/^(?:The API key was refused \(401\)|The service refused access \(403\))\..* ?Check that 'API Key' is complete/,
		older: /^Authorization failed - please check your credentials$/,
	},
	{
		name: 'another program that answers at the address',
		fault: status(401),
		message: /Or 'Base URL' belongs to another service\.$/,
		older: /^Authorization failed - please check your credentials$/,
	},
	{
		name: 'a live key in the test environment',
		wrong: ({ service }) => ({ apiKey: service.account.environments.live.keys.full }),
		message: /is a live key, but its 'Environment' is test/,
	},
	{
		name: 'a live workflow with a test key',
		wrong: ({ service }) => ({ workflowId: service.account.environments.live.workflows.main.id }),
		message: /does not know this workflow \(404\)\. Is 'Service Workflow ID'/,
		older: /^The resource you are requesting could not be found$/,
	},
	{
		name: 'an empty workflow ID',
		wrong: () => ({ workflowId: ' ' }),
		message: /^The credential's 'Service Workflow ID' is empty\. Copy it from/,
	},
	{
		name: 'an API Detail that cannot be right',
		wrong: () => ({ workflowEndpoint: '/workflows/{workflow_id}' }),
		message: /^The credential's field 'Workflow Endpoint' is not of the form METHOD \/path, e\.g\./,
	},
	{
		name: 'a Base URL that is not encrypted',
		wrong: () => ({ baseUrl: 'http://api.example.com' }),
		message: /^The credential's 'Base URL' must begin with https:\/\//,
	},
	{
		name: 'a redirect',
		fault: { type: 'redirect', location: 'https://elsewhere.example/' },
		message: /^The address in 'Base URL' redirects to another one \(30\d\)/,
		older: /^Request failed with status code 307$/,
	},
	{
		name: 'a web page where the service should be',
		fault: { type: 'html', status: 200, title: 'Welcome' },
		message: /^The address responded, but not as the extraction service does/,
	},
	{
		name: 'another service that answers with JSON',
		fault: { type: 'status', status: 200, body: { hello: 1 } },
		message: /^The address responded, but not as the extraction service does/,
	},
	{
		name: 'JSON that breaks off',
		fault: { type: 'truncate' },
		message: /^The address responded, but not as the extraction service does/,
	},
	{
		name: 'an answer without content',
		fault: { type: 'empty' },
		message: /^The address responded, but not as the extraction service does/,
	},
	{
		name: 'a refused ID',
		fault: status(422),
		message: /^The service does not accept this 'Service Workflow ID' \(422\)/,
		older: /^Your request is invalid or could not be processed by the service$/,
	},
	{
		name: 'a rate limit',
		fault: status(429),
		message: /^The service received too many requests \(429\)/,
		older: /^The service is receiving too many requests from you$/,
	},
	{
		name: 'a service that fails',
		fault: status(500),
		message: /^The service failed to respond \(500\)\. The settings may be right/,
		older: /^The service was not able to process your request$/,
	},
	{
		name: 'a service that is away',
		fault: { type: 'html', status: 503, title: 'Away' },
		message: /^The service, or a proxy before it, could not respond \(503\)/,
		older: /^Service unavailable - try again later/,
	},
	{
		name: 'an address where nothing listens',
		wrong: () => ({ baseUrl: 'http://127.0.0.1:9' }),
		message: /^ECONNREFUSED$/,
		older: /^The service refused the connection - perhaps it is offline$/,
	},
	{
		name: 'a host that nobody knows',
		wrong: () => ({ baseUrl: 'https://nowhere.invalid' }),
		message: /^(ENOTFOUND|EAI_AGAIN)$/,
		older: /^The connection cannot be established, this usually occurs due to an incorrect host/,
	},
	{
		name: 'https:// to a port that speaks http',
		wrong: ({ service }) => ({ baseUrl: service.url.replace('http:', 'https:') }),
		message: /^EPROTO$/,
		older: /EPROTO.*wrong version number/,
	},
	{
		name: 'a connection that breaks',
		fault: { type: 'cutBefore' },
		message: /^ECONNRESET$/,
		older: /^The connection to the server was closed unexpectedly, perhaps it is offline/,
	},
];

export default ({ n8n, account, secureAccount, run }: Stage) => {
	const press = async (used: Account, data: ICredentialDataDecryptedObject = {}) =>
		await n8n.testCredential(used.credential, used.service.credential(data));

	test('accepts a right credential, and asks once', async () => {
		const used = await account();
		const { status: outcome, message } = await press(used);
		assert.equal(outcome, 'OK', message);
		assert.equal((await used.service.control.requests()).length, 1);
	});

	test('accepts a live key over TLS', async () => {
		const used = await secureAccount();
		const { status: outcome, message } = await press(used, used.service.owner('live'));
		assert.equal(outcome, 'OK', message);
	});

	for (const { name, wrong, fault, ...says } of situations) {
		const expected = (n8n.version !== 'newest' && says.older) || says.message;
		test(`says what is wrong: ${name}`, async () => {
			const used = await account();
			if (fault) await used.service.control.faults([{ fault }]);
			const { status: outcome, message } = await press(used, wrong?.(used));
			assert.equal(outcome, 'Error');
			assert.match(message, expected);
		});
	}

	describe('with a certificate that n8n does not trust', () => {
		let secure: Service;
		before(async () => (secure = await startService({ tls: true })));
		after(async () => await secure.stop());

		test('names the certificate', async () => {
			const { credential } = await account();
			const { message } = await n8n.testCredential(credential, secure.credential());
			assert.match(message, /^DEPTH_ZERO_SELF_SIGNED_CERT$|^self-signed certificate$/);
		});
	});

	test('and the node accept a credential whose domains are restricted to its own host', async () => {
		const { service } = await account();
		const data = {
			...service.credential(),
			allowedHttpRequestDomains: 'domains',
			allowedDomains: new URL(service.url).hostname,
		};
		const credential = await n8n.createCredential(credentialType, 'Restricted', data);

		const { status: outcome, message } = await n8n.testCredential(credential, data);
		await run(
			chain('Restricted', [
				manualTrigger,
				extractionNode({ resource: 'extraction', operation: 'getAll' }),
			]),
			{ service, credential },
		);

		assert.equal(outcome, 'OK', message);
	});
};
