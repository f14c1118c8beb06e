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

/** What a person decides who reads the items. */
interface Reader {
	profile: 'atlas' | 'borealis' | 'cobalt';
	/** What stands for what in the bodies, by the property's name. */
	placeholders: Record<string, string>;
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
		finishedStatuses: ['2', '9'],
	},
];

/** Of the delivery note: the first of the files by name, so that n8n shows it without scrolling. */
const firstNumber = 'DN-90442';

const switches = ['useWaitingAndLists', 'useSignedUploads', 'useResponseFields'];

/** What stands in a field that has nothing to say. */
const nothing = '–';

/** Its output is wide enough for the columns that a reader needs first. */
const windowSize = { width: 1964, height: 1000 };

const firstColumns = ['apiDetail', 'enter', 'why', 'todo'];

/** Further columns would be cut at the edge, and make the rows high. */
const withoutFurtherColumns = `
[data-test-id="output-panel"] table {
	width: calc(100% - 16px) !important;
	border-right: 1px solid color-mix(in srgb, currentcolor 20%, transparent);
}
[data-test-id="output-panel"] :is(th, td):nth-child(n + ${firstColumns.length + 1}) { display: none }
`;

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
		await editor
			.output()
			.getByText(/^\d+ items$/)
			.waitFor();
		this.rows = await editor.outputTable();
		assert.equal(this.rows.at(-1)?.apiDetail, 'All Entries');
		// n8n marks what is empty or missing in red.
		for (const [column, text] of this.rows.flatMap(Object.entries<string>)) {
			// The table ends with a column without a head.
			if (column !== '') assert.doesNotMatch(text, /^\[?(empty|undefined|null)\]?$|^$/, column);
		}
		await editor.showOutputAs('Schema');
		await editor.output().getByText('credentialSwitch', { exact: true }).first().waitFor();
		assert.match(
			await editor.output().innerText(),
			/apiDetail\s+Upload File Field\s+(\w\s+)?enter\s+.+\s+(\w\s+)?why\s+.+\.\s+(\w\s+)?todo\s+enter/,
		);
		await editor.showOutputAs('Table');
	}

	/** The first rows, with what stands above them. */
	async takePicture() {
		const { editor, picture } = this.stage;
		assert.deepEqual(Object.keys(this.rows[0]).slice(0, firstColumns.length), firstColumns);
		await editor.resizeWindow(windowSize);
		const style = await editor.page.addStyleTag({ content: withoutFurtherColumns });
		await picture('check-setup', {
			elements: [editor.hints().first(), editor.outputCell(0, 0), editor.outputCell(5, 3)],
		});
		await style.evaluate((element) => element.parentNode?.removeChild(element));
		await editor.resizeWindow();
	}

	async fillInCredential() {
		const { editor } = this.stage;
		const { placeholders, finishedStatuses } = this.reader;
		const statuses = this.cell('Finished Statuses', 'choices').split(' | ');
		for (const status of finishedStatuses) assert.ok(statuses.includes(status), status);

		await editor.reopenCredential();
		for (const name of switches) await editor.switchOn(name);
		const others = ['Upload URL Body', 'Confirm Method', 'Confirm Body', 'All Entries'];
		const typed = this.rows
			.filter(({ apiDetail }) => !others.includes(apiDetail))
			.map(({ apiDetail, credentialField }): [string, string] => [
				credentialField,
				this.cell(apiDetail, 'enter'),
			])
			.filter(([, text]) => text !== '');
		await editor.fillCredential([
			...typed,
			['finishedStatuses', finishedStatuses.join(', ')],
			['uploadUrlBody', completed(this.cell('Upload URL Body', 'enter'), placeholders)],
		]);
		await editor.choose('confirmMethod', this.cell('Confirm Method', 'enter'));
		await editor.fillCredential([
			['confirmBody', completed(this.cell('Confirm Body', 'enter'), placeholders)],
		]);
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

	private cell(label: string, column: string): string {
		const row = this.rows.find(({ apiDetail }) => apiDetail === label);
		const text = row?.[column] ?? assert.fail(`There is no ${column} for ${label}.`);
		return text === nothing ? '' : text;
	}
}

export default (stage: Stage) => {
	for (const reader of readers) {
		test(`with Check Setup alone, a new user of ${reader.profile} gets values out of files`, async () => {
			const service = await startService({ profile: reader.profile, extractionMs: 300 });
			try {
				// Somebody has tried the service on its own pages.
				const { columns } = service.account.environments.test.workflows.main;
				const extractionsPerDocument = reader.profile === 'borealis' ? columns.length : 1;
				await service.control.seed({ documents: 2, extractionsPerDocument });
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
