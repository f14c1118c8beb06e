import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILES } from '../../../test/support/profiles.ts';
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
import type { TableRow } from '../editorPage.ts';
import { samples, type Stage } from '../stage.ts';

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
		private readonly stage: Stage,
		private readonly service: Service,
		private readonly credential: SavedCredential,
	) {}

	/** The first visit: three fields are typed, and two are as they have to be. */
	static async withCredential(stage: Stage, service: Service): Promise<Newcomer> {
		const { environment, baseUrl, apiKey, workflowId } = service.credential();
		const credential = await stage.n8n.createCredential(
			credentialType,
			`Account of ${service.account.profile}`,
			{ environment, baseUrl, apiKey, workflowId, documentIdField: 'document_id' },
		);
		const user = new Newcomer(stage, service, credential);
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
		assert.equal(this.rows[0].apiDetail, 'All Entries');
		// n8n marks what is empty or missing in red.
		for (const [column, text] of this.rows.flatMap(Object.entries<string>)) {
			// The table ends with a column without a head.
			if (column !== '') assert.doesNotMatch(text, /^\[?(empty|undefined|null)\]?$|^$/, column);
		}
		await editor.showOutputAs('Schema');
		await editor.output().getByText('credentialSwitch', { exact: true }).first().waitFor();
		assert.match(
			await editor.output().innerText(),
			/apiDetail\s+All Entries\s+(\w\s+)?enter\s+.+\s+(\w\s+)?why\s+.+\.\s+(\w\s+)?todo\s+copy/,
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
			within: editor.output(),
		});
		await style.evaluate((element) => element.parentNode?.removeChild(element));
		await editor.resizeWindow();
	}

	/** All that flows need, in one visit. */
	async fillInCredential() {
		const { editor } = this.stage;
		const rows = this.rows.filter(({ todo }) => ['enter', 'empty'].includes(todo));
		const switches = rows.map(({ credentialSwitch }) => credentialSwitch);
		const closed = new Set(switches.filter((name) => name !== nothing));
		await editor.reopenCredential();
		for (const name of closed) await editor.switchOn(name);
		await editor.fillCredential(
			rows.map(({ credentialField, enter }) => [credentialField, enter === nothing ? '' : enter]),
		);
		await editor.saveCredential();
		assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
		this.visits++;
		this.steps += 2 + closed.size;
		this.fields += rows.length;
	}

	async extractFromFiles() {
		const { editor, n8n } = this.stage;
		const workflow = emailsThrough(samples, { binaryPropertyName: 'attachment_*' });
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [this.credential]));
		await editor.executeWorkflow();
		this.steps += 2;
		const lastNode = editor.page.getByTestId('canvas-node-status-success').nth(3);
		// For values that stay null the node waits half a minute, where nothing but results tells the end.
		await lastNode.waitFor({ timeout: 60_000 });
		await editor.openNode(extractionNodeName);
		const [row] = await editor.outputTable();
		assert.deepEqual([row['Document number'], row.fileName], [firstNumber, firstFile]);
	}
}

// What large files need, and what makes waiting faster: test/operations/checkSetup.test.ts.
export default (stage: Stage) => {
	for (const profile of PROFILES) {
		test(`with Check Setup alone, a new user of ${profile} gets values out of files`, async (t) => {
			const service = await accountWithResults(profile, samples);
			try {
				const user = await Newcomer.withCredential(stage, service);
				await user.runCheckSetup();
				if (profile === PROFILES[0]) await user.takePicture();
				assert.deepEqual(user.decisions(), []);
				await user.fillInCredential();
				await user.extractFromFiles();
				const { visits, steps, fields } = user;
				t.diagnostic(`${visits} visits to the credential, ${steps} steps, ${fields} fields`);
				assert.ok(visits <= 2 && steps <= 12 && fields <= 9);
			} finally {
				await service.stop();
			}
		});
	}
};
