import assert from 'node:assert/strict';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Service } from '../../../test/support/service.ts';
import { chain, credentialType, extractionNode, manualTrigger } from '../../n8n/workflow.ts';
import type { Fault } from '../../service/faults.ts';
import { live, type Stage } from '../stage/live.ts';

interface Situation {
	name: string;
	/** What is wrong with the credential. */
	wrong?(service: Service): ICredentialDataDecryptedObject;
	/** How the service answers. */
	fault?: Fault;
	message: RegExp;
	/** What n8n 1.123 and 2.8 say of their own accord: they have no use for the texts of `rules`. */
	older?: RegExp;
}

// What the package says in each of its ways, and n8n where nobody answers; all else: test/credential.test.ts.
const situations: Situation[] = [
	{
		name: 'a revoked key',
		wrong: ({ account }) => ({ apiKey: account.environments.test.keys.revoked }),
		message: /^The API key was refused \(40[13]\)\..* API settings of your account/,
		older: /^Authorization failed - please check your credentials$/,
	},
	{
		name: 'a live key in the test environment',
		wrong: ({ owner }) => ({ apiKey: owner('live').apiKey }),
		message: /is a live key, but its 'Environment' is test/,
	},
	{
		name: 'a web page where the service should be',
		fault: { type: 'html', status: 200, title: 'Welcome' },
		message: /^The address responded, but not as the extraction service does/,
	},
	{
		name: 'an address where nothing listens',
		wrong: () => ({ baseUrl: 'http://127.0.0.1:9' }),
		message: /^ECONNREFUSED$/,
		older: /^The service refused the connection - perhaps it is offline$/,
	},
];

const press = async (stage: Stage, data: ICredentialDataDecryptedObject) =>
	await stage.n8n.testCredential(await stage.credential(), data);

live('accepts a live key over TLS, and asks once', { tls: true }, async (stage) => {
	const { service } = stage;
	const { status, message } = await press(stage, service.credential(service.owner('live')));
	assert.equal(status, 'OK', message);
	assert.equal((await service.control.requests()).length, 1);
});

for (const { name, wrong, fault, message: newest, older = newest } of situations) {
	live(`says what is wrong: ${name}`, async (stage) => {
		const { n8n, service } = stage;
		if (fault) await service.control.faults([{ fault }]);
		const { status, message } = await press(stage, service.credential(wrong?.(service)));
		assert.equal(status, 'Error');
		assert.match(message, n8n.version === 'newest' ? newest : older);
	});
}

live('accepts domains that are restricted to those of the service', async (stage) => {
	const { n8n, service, attempt } = stage;
	const data = {
		...service.credential(),
		allowedHttpRequestDomains: 'domains',
		allowedDomains: new URL(service.url).hostname,
	};
	const credential = await n8n.createCredential(credentialType, 'Restricted', data);
	const read = extractionNode({ resource: 'extraction', operation: 'getAll' });

	const { status, message } = await n8n.testCredential(credential, data);
	const execution = await attempt(chain('Restricted', [manualTrigger, read]), [credential]);

	assert.equal(status, 'OK', message);
	assert.equal(execution.status, 'success', execution.errorMessage);
});
