import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import { chain, extractionNode, webhook } from '../../n8n/workflow.ts';
import { profiles, samples, type Stage } from '../stage.ts';

const fileName = 'invoice-harbour-supplies.pdf';

const answering = (path: string, parameters: INodeParameters) =>
	chain(path, [webhook(path), extractionNode({ resource: 'document', ...parameters })]);

const createUrl = (path: string) =>
	answering(path, {
		operation: 'createUploadUrl',
		fileName: '={{ $json.body.name }}',
		contentType: '={{ $json.body.type }}',
		fileSize: '={{ $json.body.size }}',
	});

const confirm = (path: string) =>
	answering(path, { operation: 'confirmUpload', documentIds: '={{ $json.body.documentId }}' });

interface Target {
	documentId: string;
	uploadUrl: string;
	method: string;
	headers: Record<string, string>;
}

export default ({ n8n, account }: Stage) => {
	for (const profile of profiles) {
		test(`a browser puts a file by signed URL while n8n keeps the key, with ${profile}`, async () => {
			const { service, credential } = await account(profile);
			const paths = [`${profile}-upload-url`, `${profile}-uploaded`];
			for (const workflow of [createUrl(paths[0]), confirm(paths[1])]) {
				await n8n.activate(await n8n.importWorkflow(workflow, [credential]));
			}
			const file = await readFile(join(samples, fileName));

			const target = (await n8n.callWebhook(paths[0], {
				name: fileName,
				type: 'application/pdf',
				size: file.length,
			})) as Target;
			assert.ok(!JSON.stringify(target).includes(String(service.credential().apiKey)));
			const { method, headers } = target;
			const put = await fetch(target.uploadUrl, { method, headers, body: file });
			assert.equal(put.status, 200, await put.text());
			await n8n.callWebhook(paths[1], { documentId: target.documentId });

			const { uploads } = await service.control.ledger();
			assert.deepEqual(
				uploads.map((upload) => [upload.documentId, upload.size, upload.confirmed]),
				[[target.documentId, file.length, true]],
			);
		});
	}
};
