import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '../../../test/support/service.ts';
import { accountWithResults } from '../../demo/accounts.ts';
import { emailsThrough } from '../../demo/emails.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import {
	chain,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
} from '../../n8n/workflow.ts';
import type { Field, TableRow } from '../editorPage.ts';
import { samples, type Stage } from '../stage.ts';

/** What a person decides who reads the items, where large files are to be uploaded by signed URL. */
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

/** The first of the files by name, and the number in it. */
const firstFile = 'delivery-note-brightwell.pdf';
const firstNumber = 'DN-90442';

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

/** What the person who sees the items has to find out or to decide. */
const leftOpen = ['choose', 'complete', 'look up'];

/** Somebody who has an account, the four first fields of the credential, and nothing else. */
class Newcomer {
	/** Of the credential's window. */
	visits = 0;
	/** All that is opened, added, switched on, saved and run. */
	steps = 0;
	fields = 0;
	private rows: TableRow[] = [];

	private constructor(
		private readonly reader: Reader,
		private readonly stage: Stage,
		private readonly service: Service,
		private readonly credential: SavedCredential,
	) {}

	/** The first visit: three fields are typed, and two are as they have to be. */
	static async withCredential(reader: Reader, stage: Stage, service: Service): Promise<Newcomer> {
		const { environment, baseUrl, apiKey, workflowId } = service.credential();
		const credential = await stage.n8n.createCredential(
			credentialType,
			`Account of ${reader.profile}`,
			{ environment, baseUrl, apiKey, workflowId, documentIdField: 'document_id' },
		);
		const user = new Newcomer(reader, stage, service, credential);
		user.visits++;
		user.steps += 2;
		user.fields += 3;
		return user;
	}

	/** What Check Setup leaves to the person, of all that flows need. */
	decisions(): string[] {
		return this.rows
			.filter(({ todo }) => leftOpen.includes(todo))
			.map(({ apiDetail }) => apiDetail);
	}

	async runCheckSetup() {
		const { editor, n8n } = this.stage;
		const node = extractionNode({ resource: 'workflow', operation: 'checkSetup' });
		const workflow = chain('Check Setup', [manualTrigger, node]);
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [this.credential]));
		await editor.openNode(extractionNodeName);
		await editor.fillParameter('openApiDocument', this.service.account.openApiUrl);
		await editor.executeNode();
		this.steps += 2;
		this.fields++;
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

	/** All that flows need, in one visit. */
	async fillInCredential() {
		const rows = this.rows.filter(({ todo }) => ['enter', 'empty'].includes(todo));
		await this.visitCredential(
			rows.map(({ credentialSwitch }) => credentialSwitch),
			rows.map(({ apiDetail, credentialField }) => [
				credentialField,
				this.cell(apiDetail, 'enter'),
			]),
		);
	}

	/** What large files need, and what makes waiting faster. */
	async fillInOptional() {
		const { placeholders, finishedStatuses } = this.reader;
		const statuses = this.cell('Finished Statuses', 'choices').split(' | ');
		for (const status of finishedStatuses) assert.ok(statuses.includes(status), status);
		const decided: Record<string, string> = {
			finishedStatuses: finishedStatuses.join(', '),
			uploadUrlBody: completed(this.cell('Upload URL Body', 'enter'), placeholders),
			confirmBody: completed(this.cell('Confirm Body', 'enter'), placeholders),
		};
		const rows = this.rows.filter(({ todo }) => todo === 'optional');
		await this.visitCredential(
			rows.map(({ credentialSwitch }) => credentialSwitch),
			rows
				.map(
					({ apiDetail, credentialField }): Field => [
						credentialField,
						decided[credentialField] ?? this.cell(apiDetail, 'enter'),
					],
				)
				.filter(([, text]) => text !== ''),
		);
	}

	private async visitCredential(switches: string[], fields: Field[]) {
		const { editor } = this.stage;
		const closed = new Set(switches.filter((name) => name !== nothing));
		await editor.reopenCredential();
		for (const name of closed) await editor.switchOn(name);
		for (const [name, text] of fields) {
			if (name === 'confirmMethod') await editor.choose(name, text);
			else await editor.fillCredential([[name, text]]);
		}
		await editor.saveCredential();
		assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
		this.visits++;
		this.steps += 2 + closed.size;
		this.fields += fields.length;
	}

	async extractFromFiles(uploadMethod: 'direct' | 'signed') {
		const { editor, n8n } = this.stage;
		const workflow = emailsThrough(samples, { binaryPropertyName: 'attachment_*', uploadMethod });
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [this.credential]));
		const before = await this.service.control.ledger();
		await editor.executeWorkflow();
		this.steps += 2;
		const lastNode = editor.page.getByTestId('canvas-node-status-success').nth(3);
		// For values that stay null the node waits half a minute, where nothing but results tells the end.
		await lastNode.waitFor({ timeout: 60_000 });
		await editor.openNode(extractionNodeName);
		const [row] = await editor.outputTable();
		assert.deepEqual([row['Document number'], row.fileName], [firstNumber, firstFile]);
		const { uploads } = await this.service.control.ledger();
		const methods = uploads.slice(before.uploads.length).map(({ method }) => method);
		assert.deepEqual(methods, Array(4).fill(uploadMethod));
	}

	private cell(label: string, column: string): string {
		const row = this.rows.find(({ apiDetail }) => apiDetail === label);
		const text = row?.[column] ?? assert.fail(`There is no ${column} for ${label}.`);
		return text === nothing ? '' : text;
	}
}

export default (stage: Stage) => {
	for (const reader of readers) {
		test(`with Check Setup alone, a new user of ${reader.profile} gets values out of files`, async (t) => {
			const service = await accountWithResults(reader.profile, samples);
			try {
				const user = await Newcomer.withCredential(reader, stage, service);
				await user.runCheckSetup();
				if (reader === readers[0]) await user.takePicture();
				assert.deepEqual(user.decisions(), []);
				await user.fillInCredential();
				await user.extractFromFiles('direct');
				const { visits, steps, fields } = user;
				t.diagnostic(`${visits} visits to the credential, ${steps} steps, ${fields} fields`);
				assert.ok(visits <= 2 && steps <= 12 && fields <= 9);
				await user.fillInOptional();
				await user.extractFromFiles('signed');
			} finally {
				await service.stop();
			}
		});
	}
};
