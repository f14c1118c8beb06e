import type { Locator, Page } from 'playwright-core';
import type { Login } from '../../n8n/rest.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';

/** What a picture shows as the service's address. */
export const shownAddress = 'https://api.example.com';

/** The cells of a row of the output, by the names of its columns. */
export type TableRow = Record<string, string>;

export const windowSize = { width: 1440, height: 900 };

/** What a person sees and does in n8n's editor. */
export class EditorPage {
	constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

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

	async openNewWorkflow() {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	async openWorkflow(id: string) {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** The node panel's entries for what somebody types. */
	async searchNodes(text: string): Promise<Locator> {
		const search = this.page.getByTestId('node-creator-search-bar');
		if (!(await search.isVisible())) await this.page.getByTestId('canvas-add-button').click();
		await search.fill(text);
		return this.panelEntry(extractionNodeName);
	}

	panelEntry(name: string): Locator {
		return this.page.getByTestId('node-creator-item-name').filter({ hasText: name }).first();
	}

	/** Adds a node by one of the actions that the panel offers; n8n opens the node. */
	async addAction(action: string) {
		await (await this.searchNodes(extractionNodeName)).click();
		await this.page
			.getByTestId('node-creator-item-name')
			.getByText(action, { exact: true })
			.click();
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
		await this.node(name).dblclick({ position: { x: 40, y: 40 } });
		await this.page.getByTestId('ndv').waitFor();
	}

	/** A parameter of the node that is open, or a field of the credential that is. */
	parameter(name: string): Locator {
		return this.page.getByTestId(`parameter-input-${name}`).first();
	}

	async choose(name: string, text: string) {
		const select = this.parameter(name).locator('.el-select');
		// While n8n loads the choices, a click has no effect.
		await select.locator('.el-input__inner:enabled').waitFor();
		await select.click();
		const entries = this.page.locator('.el-select-dropdown:visible .option-headline');
		await entries.getByText(text, { exact: true }).click();
		await entries.first().waitFor({ state: 'hidden' });
	}

	/** Marks of fields that n8n finds wrong. */
	complaints(): Locator {
		return this.page.getByTestId('ndv').getByTestId('parameter-issues');
	}

	async openNewCredential() {
		await this.page.getByRole('button', { name: 'Connect to Document Extraction' }).click();
		await this.credentialWindow().waitFor();
	}

	async switchOn(name: string, isOn = true) {
		const change = isOn ? '.el-switch:not(.is-checked)' : '.el-switch.is-checked';
		await this.parameter(name).locator(change).click();
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

	async fillCredential(fields: Record<string, string>) {
		for (const [name, text] of Object.entries(fields)) await this.fillParameter(name, text);
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

	/** One line or several. */
	async fillParameter(name: string, text: string) {
		await this.parameter(name).locator('input, textarea').first().fill(text);
	}

	/** Saves, which makes n8n test the credential. A new one that passes closes the window. */
	async saveCredential() {
		const tested = this.page.waitForResponse((response) =>
			response.url().endsWith('/rest/credentials/test'),
		);
		await this.page.getByTestId('credential-save-button').click();
		await tested;
	}

	async reopenCredential() {
		await this.page.getByTestId('credential-edit-button').click();
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
		await this.page.getByTestId('execute-workflow-button').click();
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
		await this.output().getByRole('radio', { name: form }).click();
	}

	output(): Locator {
		return this.page.getByTestId('output-panel');
	}
}
