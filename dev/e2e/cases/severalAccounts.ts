import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	chain,
	codeNode,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
} from '../../n8n/workflow.ts';
import type { Stage } from '../stage.ts';

export default ({ secureAccount, n8n, run }: Stage) => {
	test('a credential with expressions sends each item to its own account', async () => {
		const { service } = await secureAccount();
		const owners = [service.owner('test'), service.owner('live')];
		const credential = await n8n.createCredential(
			credentialType,
			'By item',
			service.credentialByItem(),
		);
		const items = owners.map((json) => ({
			json,
			binary: {
				data: {
					data: Buffer.from(json.workflowId).toString('base64'),
					mimeType: 'text/plain',
					fileName: `${json.environment}.txt`,
				},
			},
		}));

		const execution = await run(
			chain('Several accounts', [
				manualTrigger,
				codeNode('Letters', `return ${JSON.stringify(items)};`),
				extractionNode({ resource: 'document', operation: 'upload', uploadMethod: 'signed' }),
			]),
			{ service, credential },
		);

		assert.equal(execution.items(extractionNodeName).length, owners.length);
		const { uploads } = await service.control.ledger();
		assert.deepEqual(
			uploads.map(({ fileName, workflowId }) => [fileName, workflowId]).sort(),
			owners.map(({ environment, workflowId }) => [`${environment}.txt`, workflowId]).sort(),
		);
	});
};
