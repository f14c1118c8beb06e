import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Account, Stage } from '../stage.ts';

interface Situation {
	name: string;
	/** What is wrong with the credential. */
	wrong(account: Account): ICredentialDataDecryptedObject;
	prepare?(account: Account): Promise<void>;
	message: RegExp;
}

const situations: Situation[] = [
	{
		name: 'a revoked key',
		wrong: ({ service }) => ({ apiKey: service.account.environments.test.keys.revoked }),
		message: /API Key/,
	},
	{
		name: 'a live key in the test environment',
		wrong: ({ service }) => ({ apiKey: service.account.environments.live.keys.full }),
		message: /is a live key, but its 'Environment' is test/,
	},
	{
		name: 'a live workflow with a test key',
		wrong: ({ service }) => ({ workflowId: service.account.environments.live.workflows.main.id }),
		message: /Workflow ID/,
	},
	{
		name: 'an address where nothing listens',
		wrong: () => ({ baseUrl: 'http://127.0.0.1:9' }),
		message: /cannot reach the service at .*: nothing listens there/,
	},
	{
		name: 'a web page where the service should be',
		wrong: () => ({}),
		prepare: async ({ service }) =>
			await service.control.faults([
				{
					match: { operation: 'getExtractions' },
					fault: { type: 'html', status: 200, title: 'Welcome' },
				},
			]),
		message: /Base URL/,
	},
];

export default ({ n8n, account }: Stage) => {
	test('accepts a right credential', async () => {
		const { service, credential } = await account();
		const { status, message } = await n8n.testCredential(credential, service.credential());
		assert.equal(status, 'OK', message);
	});

	for (const { name, wrong, prepare, message: expected } of situations) {
		test(`says what is wrong: ${name}`, async () => {
			const used = await account();
			await prepare?.(used);
			const { status, message } = await n8n.testCredential(
				used.credential,
				used.service.credential(wrong(used)),
			);
			assert.equal(status, 'Error');
			assert.match(message, expected);
		});
	}
};
