import type { Locator, Page } from 'playwright-core';
import type { Login } from '../../n8n/rest.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';

/** What a picture shows as the service's address. */
export const shownAddress = 'https://api.example.com';

/** The cells of a row of the output, by the names of its columns. */
export type TableRow = Record<string, string>;

export const windowSize = { width: 1440, height: 900 };

/** Where the lines of all texts are shown, which may be wrapped, or of the one text that has these words. */
const linesOf = async (element: Locator, words: string) =>
	await element.evaluate((shown, wanted) => {
		const { ownerDocument } = shown;
		const texts = ownerDocument.createTreeWalker(shown, 4);
		const lines = [];
		while (texts.nextNode() && !(wanted && lines.length > 0)) {
			const range = ownerDocument.createRange();
			range.selectNodeContents(texts.currentNode);
			if (texts.currentNode.textContent?.includes(wanted)) lines.push(...range.getClientRects());
		}
		return lines
			.filter(({ width }) => width > 1)
			.map(({ left, right, top, bottom }) => ({ left, right, middle: (top + bottom) / 2 }));
	}, words);

/** What a person sees and does in n8n's editor. */
export class EditorPage {
	/** What was done since somebody asked: each click, entry, choice from a list and copy of a text. */
	private steps: string[] = [];

	/** A browser without a screen has no clipboard that pages share. */
	private copied = '';

	constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** The steps since this was last asked; selecting a text and copying it is one. */
	takeSteps(): string[] {
		return this.steps.splice(0);
	}

	/** A step on a page that this one has opened. */
	async step(what: string, act: () => Promise<void>) {
		this.steps.push(what);
		await act();
	}

	/** What a person needs at least between two steps, by the clock of the page, however busy it is. */
	private async aMoment() {
		await this.page.evaluate('new Promise((done) => setTimeout(done, 500))');
	}

	async click(target: Locator, what: string) {
		await this.step(`click ${what}`, async () => await target.click());
	}

	/** Back to its usual size, if none is given. */
	async resizeWindow(size = windowSize) {
		await this.page.setViewportSize(size);
	}

	async logIn({ email, password }: Login) {
		await this.page.goto(`${this.url}/signin`);
		await this.page.locator('input[autocomplete=email]').fill(email);
		await this.page.locator('input[type=password]').fill(password);
		await this.page.getByTestId('form-submit-button').click();
		await this.page.waitForURL((url) => !url.pathname.startsWith('/signin'));
	}

	/** Into the workflow that is open. */
	async importFile(path: string) {
		await this.click(this.page.locator('[aria-label="More actions"]').first(), '⋯');
		await this.click(this.page.getByTestId('workflow-menu-item-import'), 'Import');
		const chooser = this.page.waitForEvent('filechooser');
		const fromFile = this.page.getByTestId('workflow-menu-item-import-from-file');
		await this.click(fromFile, 'From file');
		await this.step('choose file', async () => await (await chooser).setFiles(path));
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Into the workflow that is open, in place of a file: its text, as GitHub copies it. */
	async pasteWorkflow(text: string) {
		this.steps.push('copy the example');
		await this.step('paste the example', async () => {
			await this.page.locator('body').evaluate((body, copied) => {
				const { DataTransfer, ClipboardEvent } = body.ownerDocument.defaultView;
				const clipboardData = new DataTransfer();
				clipboardData.setData('text/plain', copied);
				body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
			}, text);
		});
	}

	async openNewWorkflow() {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	async openWorkflow(id: string) {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Adds a node by one of the actions that the panel offers; n8n opens the node. */
	async addAction(action: string) {
		const search = this.page.getByTestId('node-creator-search-bar');
		const names = this.page.getByTestId('node-creator-item-name');
		await this.click(this.page.getByTestId('canvas-add-button'), 'Add first step');
		await this.step(`enter ${extractionNodeName}`, async () => {
			await search.fill(extractionNodeName);
		});
		await this.click(names.filter({ hasText: extractionNodeName }).first(), extractionNodeName);
		await this.click(names.getByText(action, { exact: true }), action);
		await this.page.getByTestId('ndv').waitFor();
	}

	/** On the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	nodesThatSucceeded(): Locator {
		return this.page.getByTestId('canvas-node-status-success');
	}

	async openNode(name: string) {
		const position = { x: 40, y: 40 };
		await this.step(`open ${name}`, async () => await this.node(name).dblclick({ position }));
		await this.page.getByTestId('ndv').waitFor();
	}

	/** The node that is open. */
	async closeNode() {
		await this.step('close node', async () => await this.page.keyboard.press('Escape'));
		await this.page.getByTestId('ndv').waitFor({ state: 'hidden' });
	}

	/** A parameter of the node that is open, or a field of the credential that is. */
	parameter(name: string): Locator {
		return this.page.getByTestId(`parameter-input-${name}`).first();
	}

	async choose(name: string, text: string) {
		const select = this.parameter(name).locator('.el-select');
		// While n8n loads the choices, a click has no effect.
		await select.locator('.el-input__inner:enabled').waitFor();
		const entries = this.page.locator('.el-select-dropdown:visible .option-headline');
		await this.step(`choose ${text}`, async () => {
			await select.click();
			await entries.getByText(text, { exact: true }).click();
		});
		await entries.first().waitFor({ state: 'hidden' });
	}

	async openNewCredential() {
		const connect = 'Connect to Document Extraction';
		await this.click(this.page.getByRole('button', { name: connect }), connect);
		await this.credentialWindow().waitFor();
	}

	/** Where the node has a credential already. */
	async openAnotherCredential() {
		await this.step('choose Create new credential', async () => {
			await this.page.getByTestId('node-credentials-select').locator('input').first().click();
			await this.page.getByTestId('node-credentials-select-item-new').click();
		});
		await this.credentialWindow().waitFor();
	}

	credentialWindow(): Locator {
		return this.page.getByTestId('credential-edit-dialog');
	}

	/** With its label and its description. */
	credentialField(name: string): Locator {
		return this.credentialWindow()
			.getByTestId('credential-connection-parameter')
			.filter({ has: this.page.getByTestId(`parameter-input-${name}`) });
	}

	credentialFailure(): Locator {
		return this.credentialWindow().locator('.el-tag--danger').filter({ visible: true });
	}

	/** Of the credential's window, by their names: one line or several. */
	async fillCredential(fields: Record<string, string>) {
		for (const [name, text] of Object.entries(fields)) {
			const field = this.parameter(name).locator('input, textarea').first();
			await this.step(`enter ${name}`, async () => await field.fill(text));
		}
	}

	/** For a picture: the field has this text for a while, of which n8n learns nothing. */
	async showInField(name: string, text: string, whileShown: () => Promise<void>) {
		// Else n8n would read it when the field is left.
		await this.page.evaluate('document.activeElement?.blur()');
		const input = this.parameter(name).locator('input').first();
		const change = async (value: string) =>
			await input.evaluate((element, shown) => {
				Object.assign(element, { value: shown });
			}, value);
		const before = await input.inputValue();
		await change(text);
		await whileShown();
		await change(before);
	}

	/** Saves, which makes n8n test the credential. A new one that passes closes the window. */
	async saveCredential() {
		const save = this.page.getByTestId('credential-save-button');
		// n8n takes an entry a little later, and again: what is saved before would then count as changed.
		await this.aMoment();
		await this.click(save.locator('button:enabled'), 'Save');
		const unfinished = save.locator('button:enabled, button[aria-busy=true]');
		await unfinished.waitFor({ state: 'hidden' });
	}

	/** Until the window of a new credential is gone, and the node has it. */
	async untilCredentialIsChosen() {
		await this.credentialWindow().waitFor({ state: 'hidden' });
		const chosen = this.page.getByTestId('node-credentials-select').locator('input').first();
		while ((await chosen.inputValue()) === '') await this.page.waitForTimeout(100);
	}

	async closeCredential() {
		const frame = this.page.getByTestId('editCredential-modal');
		await this.click(frame.getByRole('button', { name: 'Close this dialog' }), 'Close');
		await this.credentialWindow().waitFor({ state: 'hidden' });
	}

	async reopenCredential() {
		await this.click(this.page.getByTestId('credential-edit-button'), 'Edit credential');
		await this.credentialWindow().waitFor();
		// n8n shows the window first, and then undoes a click by filling it with what is saved.
		const baseUrl = this.parameter('baseUrl').getByRole('textbox');
		while ((await baseUrl.inputValue()) === '') await this.page.waitForTimeout(100);
	}

	/** What n8n says of the credential after its test. */
	async credentialVerdict(): Promise<string> {
		const window = this.credentialWindow();
		const verdict = window.getByText(/Connection tested successfully|Couldn’t connect/);
		await verdict.filter({ visible: true }).waitFor();
		const moreDetails = window.getByText('More details');
		if (await moreDetails.isVisible()) await moreDetails.click();
		return await window.innerText();
	}

	async executeWorkflow() {
		await this.click(this.page.getByTestId('execute-workflow-button'), 'Execute workflow');
	}

	/** Of the node that is open. */
	async executeStep() {
		await this.click(this.page.getByTestId('node-execute-button'), 'Execute step');
	}

	/**
	 * Marks all from the one element to the other with the mouse, or only the line that has these words, and
	 * copies it.
	 */
	async copy(first: Locator, last = first, words = '') {
		await this.step(`copy ${words || (await first.innerText()).slice(0, 40)}`, async () => {
			await first.scrollIntoViewIfNeeded();
			const start = (await linesOf(first, words))[0];
			const end = (await linesOf(last, words)).at(-1);
			if (!start || !end) throw new Error('What is to be copied is not shown.');
			await this.page.mouse.move(start.left + 1, start.middle);
			// n8n marks the row that the mouse is on, which ends a selection.
			await this.aMoment();
			await this.page.mouse.down();
			await this.page.mouse.move(end.right - 20, end.middle, { steps: 5 });
			await this.page.mouse.move(end.right, end.middle, { steps: 5 });
			await this.page.mouse.up();
			this.copied = await this.page.evaluate<string>('String(getSelection())');
		});
	}

	/** All that a field has. */
	async copyField(name: string) {
		const field = this.parameter(name).locator('input, textarea').first();
		await this.step(`copy ${name}`, async () => {
			this.copied = await field.inputValue();
		});
	}

	/** In place of what is there, or below it. */
	async paste(name: string, where: 'instead' | 'below' = 'instead') {
		const field = this.parameter(name).locator('input, textarea').first();
		await this.step(`paste into ${name}`, async () => {
			await field.press(where === 'below' ? 'Control+End' : 'Control+A');
			if (where === 'below') await field.press('Enter');
			await this.page.keyboard.insertText(this.copied);
		});
	}

	async outputTable(): Promise<TableRow[]> {
		await this.showOutputAs('Table');
		const table = this.output().locator('table tr');
		await table.nth(1).waitFor();
		const lines = await table.all();
		const [heads, ...rows] = await Promise.all(
			lines.map(async (line) => await line.locator('th, td').allInnerTexts()),
		);
		return rows.map((cells) =>
			Object.fromEntries(heads.map((head, column) => [head, (cells[column] ?? '').trim()])),
		);
	}

	async showOutputAs(form: string) {
		const radio = this.output().getByRole('radio', { name: form });
		if (!(await radio.isChecked())) await this.click(radio, form);
	}

	output(): Locator {
		return this.page.getByTestId('output-panel');
	}
}
