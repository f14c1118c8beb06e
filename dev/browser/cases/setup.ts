import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import type { TableRow } from '../editorPage.ts';
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

/** Of the delivery note: the first of the files by name, so that n8n shows it without scrolling. */
const firstNumber = 'DN-90442';

const switches = ['useWaitingAndLists', 'useSignedUploads', 'useResponseFields'];

/** Its output is as wide as the table as far as the notes. */
const windowSize = { width: 1964, height: 1300 };

/** The entries of a list, as n8n writes them into a cell: each with its number. */
const entriesOf = (cell: string) =>
	cell.split('\n').flatMap((line) => /^\d+:(.*)$/.exec(line)?.[1].trim() ?? []);

/** A body with what stands in angle brackets replaced. */
const completed = (template: string, placeholders: Reader['placeholders']) =>
	JSON.stringify(
		JSON.parse(template, (name: string, value: unknown) =>
			typeof value === 'string' && value.startsWith('<') ? placeholders[name] : value,
		),
	);

/** Somebody who has an account, the four first fields of the credential, and nothing else. */
class Newcomer {
	private rows: TableRow[] = [];

	constructor(
		private readonly reader: Reader,
		private readonly stage: Stage,
		private readonly service: Service,
		private readonly credential: SavedCredential,
	) {}

	async runCheckSetup() {
		const { editor, n8n } = this.stage;
		const node = extractionNode({ resource: 'workflow', operation: 'checkSetup' });
		const workflow = chain('Check Setup', [manualTrigger, node]);
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [this.credential]));
		await editor.openNode(extractionNodeName);
		await editor.fillParameter('openApiDocument', this.service.account.openApiUrl);
		await editor.executeNode();
		await editor.output().getByText('12 items').waitFor();
		this.rows = await editor.outputTable();
		assert.equal(this.rows.length, 12);
	}

	/** The first rows as far as their notes, with what stands above them. */
	async takePicture() {
		const { editor, picture } = this.stage;
		await editor.resizeWindow(windowSize);
		await picture('check-setup', {
			elements: [editor.hints().first(), editor.outputCell(0, 0), editor.outputCell(2, 3)],
		});
		await editor.resizeWindow();
	}

	async fillInCredential() {
		const { editor } = this.stage;
		const { placeholders, documentIdField, finishedStatuses } = this.reader;
		const idFields = [
			...this.entries('Document ID Field', 'found'),
			...this.entries('Document ID Field', 'seen').map((sample) => sample.split(':')[0]),
		];
		assert.ok(idFields.includes(documentIdField), idFields.join(', '));
		const statuses = this.entries('Finished Statuses', 'found');
		for (const status of finishedStatuses) assert.ok(statuses.includes(status), status);

		await editor.reopenCredential();
		for (const name of switches) await editor.switchOn(name);
		await editor.fillCredential([
			['uploadFileField', this.found('Upload File Field')],
			['workflowEndpoint', this.found('Workflow Endpoint')],
			['finishedStatuses', finishedStatuses.join(', ')],
			['uploadUrlEndpoint', this.found('Upload URL Endpoint')],
			['uploadUrlBody', completed(this.found('Upload URL Body'), placeholders)],
			['uploadUrlField', this.found('Upload URL Field')],
			['confirmBody', completed(this.found('Confirm Body'), placeholders)],
			['documentIdField', documentIdField],
		]);
		await editor.choose('confirmMethod', this.found('Confirm Method'));
		await editor.saveCredential();
		assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
	}

	async extractFromFiles(uploadMethod: 'direct' | 'signed') {
		const { editor, n8n } = this.stage;
		const workflow = emailsThrough(samples, { binaryPropertyName: 'attachment_*', uploadMethod });
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [this.credential]));
		await editor.executeWorkflow();
		await editor.page.getByTestId('canvas-node-status-success').nth(3).waitFor();
		await editor.openNode(extractionNodeName);
		await editor.showOutputAs('JSON');
		await editor.output().getByText(firstNumber).first().waitFor();
		const { uploads } = await this.service.control.ledger();
		assert.equal(uploads.filter(({ method }) => method === uploadMethod).length, 4);
	}

	private entries(label: string, column: string): string[] {
		const row = this.rows.find(({ apiDetail }) => apiDetail === label);
		return entriesOf(row?.[column] ?? assert.fail(`There is no ${column} for ${label}.`));
	}

	/** What needs no decision, since only one value fits. */
	private found(label: string): string {
		const values = this.entries(label, 'found');
		assert.equal(values.length, 1, `${label}: ${values.join(', ')}`);
		return values[0];
	}
}

export default (stage: Stage) => {
	for (const reader of readers) {
		test(`with Check Setup alone, a new user of ${reader.profile} gets values out of files`, async () => {
			const service = await startService({ profile: reader.profile, extractionMs: 300 });
			try {
				// Somebody has tried the service on its own pages.
				await service.control.seed({ documents: 1 });
				const { environment, baseUrl, apiKey, workflowId } = service.credential();
				const credential = await stage.n8n.createCredential(
					credentialType,
					`Account of ${reader.profile}`,
					{ environment, baseUrl, apiKey, workflowId },
				);
				const user = new Newcomer(reader, stage, service, credential);
				await user.runCheckSetup();
				if (reader === readers[0]) await user.takePicture();
				await user.fillInCredential();
				await user.extractFromFiles('direct');
				await user.extractFromFiles('signed');
			} finally {
				await service.stop();
			}
		});
	}
};
