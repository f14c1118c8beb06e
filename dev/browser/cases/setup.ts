import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SetupRow } from '../../../nodes/DocumentExtraction/api/setup.ts';
import { type Service, startService } from '../../../test/support/service.ts';
import { emailsThrough } from '../../demo/emails.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import {
	chain,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
} from '../../n8n/workflow.ts';
import type { Field } from '../editorPage.ts';
import { samples, type Stage } from '../stage.ts';

/** What a person decides who reads the rows and their notes. */
interface Reader {
	profile: 'atlas' | 'borealis' | 'cobalt';
	/** What stands for what in the bodies, by the property's name. */
	placeholders: Record<string, string>;
	/** Which of the fields that are listed or seen holds the document's ID. */
	documentIdField: string;
	finishedStatuses: string[];
}

const readers: Reader[] = [
	{
		profile: 'atlas',
		placeholders: {
			file_name: '{file_name}',
			content_type: '{content_type}',
			file_size: '{file_size}',
		},
		documentIdField: 'document_id',
		finishedStatuses: ['completed', 'failed'],
	},
	{
		profile: 'borealis',
		placeholders: {
			filename: '{file_name}',
			mime: '{content_type}',
			folder: '{collection_name}',
			doc_ref: '{document_id}',
		},
		documentIdField: 'doc_ref',
		finishedStatuses: ['DONE', 'ERROR'],
	},
	{
		profile: 'cobalt',
		placeholders: {
			workflow: '{workflow_id}',
			title: '{file_name}',
			type: '{content_type}',
			bytes: '{file_size}',
			id: '{document_id}',
		},
		documentIdField: 'payload.file.id',
		finishedStatuses: ['2', '9'],
	},
];

const switches = ['useWaitingAndLists', 'useSignedUploads', 'useResponseFields'];

/** A body with what stands in angle brackets replaced. */
const completed = (template: string, placeholders: Reader['placeholders']) =>
	JSON.stringify(
		JSON.parse(template, (name: string, value: unknown) =>
			typeof value === 'string' && value.startsWith('<') ? placeholders[name] : value,
		),
	);

export default ({ editor, n8n, picture }: Stage) => {
	describe('with Check Setup and nothing else', () => {
		for (const reader of readers) describe(`a new user of ${reader.profile}`, () => tryAs(reader));
	});

	function tryAs({ profile, placeholders, documentIdField, finishedStatuses }: Reader) {
		let service: Service;
		let credential: SavedCredential;
		let rows: SetupRow[];

		const row = (label: string) =>
			rows.find(({ apiDetail }) => apiDetail === label) ?? assert.fail(`There is no ${label}.`);

		/** Where only one value fits, it needs no decision. */
		const found = (label: string) => {
			const { found: values } = row(label);
			assert.equal(values.length, 1, `${label}: ${values.join(', ')}`);
			return values[0];
		};

		before(async () => {
			service = await startService({ profile, extractionMs: 300 });
			// Somebody has tried the service on its own pages.
			await service.control.seed({ documents: 1 });
			const { environment, baseUrl, apiKey, workflowId } = service.credential();
			credential = await n8n.createCredential(credentialType, `Account of ${profile}`, {
				environment,
				baseUrl,
				apiKey,
				workflowId,
			});
		});

		after(async () => await service.stop());

		test('reads the rows of Check Setup', async () => {
			const node = extractionNode({ resource: 'workflow', operation: 'checkSetup' });
			await editor.openWorkflow(
				await n8n.importWorkflow(chain('Check Setup', [manualTrigger, node]), [credential]),
			);
			await editor.openNode(extractionNodeName);
			await editor.fillParameter('openApiDocument', service.account.openApiUrl);
			await editor.executeNode();
			await editor.output().getByText('12 items').waitFor();
			if (profile === 'atlas') await picture('check-setup');
			await editor.showOutputAs('JSON');
			rows = (await editor.outputJson()) as SetupRow[];
			assert.equal(rows.length, 12);
		});

		test('fills in the credential', async () => {
			assert.ok(
				row('Document ID Field').found.includes(documentIdField) ||
					row('Document ID Field').seen.some((sample) => sample.startsWith(`${documentIdField}: `)),
			);
			for (const status of finishedStatuses) {
				assert.ok(row('Finished Statuses').found.includes(status));
			}
			await editor.reopenCredential();
			for (const name of switches) await editor.switchOn(name);
			const fields: Field[] = [
				['uploadFileField', found('Upload File Field')],
				['workflowEndpoint', found('Workflow Endpoint')],
				['finishedStatuses', finishedStatuses.join(', ')],
				['uploadUrlEndpoint', found('Upload URL Endpoint')],
				['uploadUrlBody', completed(found('Upload URL Body'), placeholders)],
				['uploadUrlField', found('Upload URL Field')],
				['confirmBody', completed(found('Confirm Body'), placeholders)],
				['documentIdField', documentIdField],
			];
			await editor.fillCredential(fields);
			await editor.choose('confirmMethod', found('Confirm Method'));
			await editor.saveCredential();
			assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
			await editor.closeCredential();
		});

		for (const uploadMethod of ['direct', 'signed']) {
			test(`extracts from files, by ${uploadMethod} upload`, async () => {
				const workflow = emailsThrough(samples, {
					binaryPropertyName: 'attachment_*',
					uploadMethod,
				});
				await editor.openWorkflow(await n8n.importWorkflow(workflow, [credential]));
				await editor.executeWorkflow();
				await editor.page.getByTestId('canvas-node-status-success').nth(3).waitFor();
				await editor.openNode(extractionNodeName);
				await editor.showOutputAs('JSON');
				await editor.output().getByText('HS-2024-0417').first().waitFor();
				const { uploads } = await service.control.ledger();
				assert.equal(uploads.filter(({ method }) => method === uploadMethod).length, 4);
			});
		}
	}
};
