import assert from 'node:assert/strict';
import {
	chain,
	codeNode,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
} from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';

live(
	'expressions send each item to its own account',
	{ tls: true },
	async ({ service, n8n, attempt }) => {
		const owners = [service.owner('test'), service.owner('live')];
		const data = service.credentialByItem();
		const credential = await n8n.createCredential(credentialType, 'By item', data);
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

		const execution = await attempt(
			chain('Several accounts', [
				manualTrigger,
				codeNode('Letters', `return ${JSON.stringify(items)};`),
				extractionNode({
					resource: 'document',
					operation: 'upload',
					options: { uploadMethod: 'signed' },
				}),
			]),
			[credential],
		);

		assert.equal(execution.items(extractionNodeName).length, owners.length);
		const { uploads } = await service.control.ledger();
		assert.deepEqual(
			uploads.map(({ fileName, workflowId }) => [fileName, workflowId]).sort(),
			owners.map(({ environment, workflowId }) => [`${environment}.txt`, workflowId]).sort(),
		);
	},
);
