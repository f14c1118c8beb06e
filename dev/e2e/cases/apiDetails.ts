import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailsThrough } from '../../demo/emails.ts';
import { credentialType } from '../../n8n/workflow.ts';
import { samples, type Stage } from '../stage.ts';

export default ({ n8n, account, run }: Stage) => {
	test('an empty one that is needed is named before anything is sent', async () => {
		const { service } = await account();
		const credential = await n8n.createCredential(
			credentialType,
			'No file field',
			service.credential({ uploadFileField: '' }),
		);

		const execution = await run(
			emailsThrough(samples, { binaryPropertyName: 'attachment_*', uploadMethod: 'direct' }),
			{ service, credential },
		);

		assert.equal(execution.status, 'error');
		assert.match(execution.errorMessage ?? '', /Upload File Field/);
		assert.deepEqual(await service.control.requests(), []);
	});
};
