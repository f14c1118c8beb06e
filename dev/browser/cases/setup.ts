import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
	type ApiDetail,
} from '../../../nodes/DocumentExtraction/account/apiDetails.ts';
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

/** Its output is wide enough for the columns that a reader needs first. */
const windowSize = { width: 2080, height: 1000 };

const firstColumns = ['apiDetail', 'enter', 'why', 'choices'];

/** Further columns would be cut at the edge, and make the rows high. */
const withoutFurtherColumns = `
[data-test-id="output-panel"] table {
	width: calc(100% - 16px) !important;
	border-right: 1px solid color-mix(in srgb, currentcolor 20%, transparent);
}
[data-test-id="output-panel"] :is(th, td):nth-child(n + ${firstColumns.length + 1}) { display: none }
`;

/** The entries of a list, which n8n's table numbers, each on a line of its own. */
const entriesIn = (cell: string) => cell.split('\n').map((line) => line.replace(/^\d+: ?/, ''));

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
		return entriesIn(this.rows[0].enter)
			.filter((line) => line.endsWith(')'))
			.map((line) => line.split(': ')[0]);
	}

	/** What to type: what the first item says, and the line whose row holds the first document's number. */
	private entries(): Array<[name: string, text: string]> {
		const { documentIdField } = this.service.account.apiDetails;
		const needed = this.rows.filter(({ apiDetail, enter }) =>
			entriesIn(this.rows[0].enter).includes(`${apiDetail}: ${enter}`),
		);
		const rows = this.rows.find(({ apiDetail }) => apiDetail === 'Rows');
		const own = entriesIn(rows?.choices ?? '').find((line) => line.includes(firstNumber));
		assert.ok(own, rows?.choices);
		const parts = own.split(' → ')[0].split(' · ');
		return [
			...needed.map(({ credentialField, enter }): [string, string] => [credentialField, enter]),
			...(documentIdField === 'document_id'
				? []
				: [['documentIdField', documentIdField] as [string, string]]),
			...parts
				.filter((part) => !part.endsWith('(empty)'))
				.map((part): [string, string] => {
					const [label, path] = part.split(': ');
					const detail = ALL_DETAILS.find((one) => API_DETAILS[one].label === label);
					return [String(detail), path];
				}),
		];
	}

	/** Opens the node alone, in a workflow of its own. */
	private async openNode(parameters: { resource: string; operation: string }) {
		const { editor, n8n } = this.stage;
		const workflow = chain(parameters.operation, [manualTrigger, extractionNode(parameters)]);
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [this.credential]));
		await editor.openNode(extractionNodeName);
	}

	async runCheckSetup() {
		const { editor } = this.stage;
		await this.openNode({ resource: 'workflow', operation: 'checkSetup' });
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
		await editor.output().getByText('credentialField', { exact: true }).first().waitFor();
		assert.match(
			await editor.output().innerText(),
			/apiDetail\s+All Entries\s+(\w\s+)?enter\s+[^]+\s+(\w\s+)?why\s+.+\.\s+(\w\s+)?choices/,
		);
		await editor.showOutputAs('Table');
	}

	/** The first rows, with what stands above them, down to the second way to read results. */
	async takePicture() {
		const { editor, picture } = this.stage;
		assert.deepEqual(Object.keys(this.rows[0]).slice(0, firstColumns.length), firstColumns);
		await editor.resizeWindow(windowSize);
		const style = await editor.page.addStyleTag({ content: withoutFurtherColumns });
		await picture('check-setup', {
			elements: [
				editor.hints().first(),
				editor.outputCell(0, 0),
				editor.outputCell(0, 3),
				editor.outputCell(3, 3).locator('.n8n-tree > div').nth(1),
			],
			within: editor.output(),
		});
		await style.evaluate((element) => element.parentNode?.removeChild(element));
		await editor.resizeWindow();
	}

	/** Beside raw results stands how they can be read, one way on each line. */
	async seeRawResults() {
		const { editor } = this.stage;
		await this.openNode({ resource: 'extraction', operation: 'getAll' });
		await editor.executeNode();
		const hint = editor.hints().filter({ hasText: 'You are getting raw JSON' });
		const lines = (await hint.innerText()).split('\n');
		const ways = lines.filter((line) => /^(Values|Column Name) Field: .+ → .+: /.test(line));
		assert.equal(ways.length, 3, lines.join('\n'));
	}

	/** All that flows need, in one visit. */
	async fillInCredential() {
		const { editor } = this.stage;
		const entries = this.entries();
		const closed = new Set(
			entries.flatMap(([name]) => {
				const { group } = API_DETAILS[name as ApiDetail];
				return group ? [DETAIL_GROUPS[group].switch] : [];
			}),
		);
		await editor.reopenCredential();
		for (const name of closed) await editor.switchOn(name);
		await editor.fillCredential(entries);
		await editor.saveCredential();
		assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
		this.visits++;
		this.steps += 2 + closed.size;
		this.fields += entries.length;
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
				// Rows are theirs to choose, and what their reference does not fix.
				const decisions = user.decisions();
				assert.ok(decisions.includes('Rows') && decisions.length <= 3, decisions.join());
				await user.seeRawResults();
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
