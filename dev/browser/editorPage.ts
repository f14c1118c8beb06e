import type { Locator, Page } from 'playwright-core';
import type { Login } from '../n8n/rest.ts';

export type Field = [name: string, text: string];

/** The cells of a row of the output, by the names of its columns. */
export type TableRow = Record<string, string>;

export const windowSize = { width: 1440, height: 900 };

/** n8n's own way out, at the end of the lists of resources and operations. */
const addedByN8n = 'Custom API Call';

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

	async openDataTable(name: string) {
		await this.page.goto(`${this.url}/home/datatables`);
		await this.page.getByText(name, { exact: true }).click();
		await this.page.getByTestId('data-table-grid').waitFor();
	}

	/** The head of a column of the data table that is open. */
	columnHead(name: string): Locator {
		return this.page
			.getByTestId('data-table-grid')
			.locator('.ag-header-cell')
			.filter({ has: this.page.getByText(name, { exact: true }) });
	}

	/** Makes columns of the data table that is open as wide as what they hold. */
	async fitColumns(names: string[]) {
		for (const name of names) {
			await this.columnHead(name).locator('.ag-header-cell-resize').dispatchEvent('dblclick');
		}
	}

	/** The node panel's entries for what somebody types. */
	async searchNodes(text: string): Promise<Locator> {
		const search = this.page.getByTestId('node-creator-search-bar');
		if (!(await search.isVisible())) await this.page.getByTestId('canvas-add-button').click();
		await search.fill(text);
		return this.panelEntry('Document Extraction');
	}

	panelEntry(name: string): Locator {
		return this.page.getByTestId('node-creator-item-name').filter({ hasText: name }).first();
	}

	nodePanel(): Locator {
		return this.page.getByTestId('node-creator');
	}

	/** Adds a node by one of the actions that the panel offers; n8n opens the node. */
	async addAction(action: string) {
		await (await this.searchNodes('document extraction')).click();
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

	async openNode(name: string) {
		await this.node(name).dblclick({ position: { x: 40, y: 40 } });
		await this.page.getByTestId('ndv').waitFor();
	}

	/** A parameter of the node that is open, or a field of the credential that is. */
	parameter(name: string): Locator {
		return this.page.getByTestId(`parameter-input-${name}`).first();
	}

	async dropdownTexts(name: string): Promise<string[]> {
		const entries = await this.openChoices(name);
		const texts = await entries.allInnerTexts();
		await this.page.keyboard.press('Escape');
		await entries.first().waitFor({ state: 'hidden' });
		return texts.map((text) => text.trim()).filter((text) => text !== addedByN8n);
	}

	async choose(name: string, text: string) {
		const entries = await this.openChoices(name);
		await entries.getByText(text, { exact: true }).click();
		await entries.first().waitFor({ state: 'hidden' });
	}

	/** The labels of all parameters that the open node shows. */
	async shownLabels(): Promise<string[]> {
		const labels = this.page.getByTestId('node-parameters').locator('.n8n-input-label');
		return (await labels.allInnerTexts()).map((text) => text.split('\n')[0].trim());
	}

	/** What can be added to the options of the open node. */
	async optionNames(): Promise<string[]> {
		await this.page.getByTestId('collection-parameter-add').click();
		await this.optionEntries().first().waitFor();
		const names = await this.optionEntries().allInnerTexts();
		await this.page.keyboard.press('Escape');
		await this.optionEntries().first().waitFor({ state: 'hidden' });
		return names.map((name) => name.trim());
	}

	async addOption(name: string) {
		await this.page.getByTestId('collection-parameter-add').click();
		await this.optionEntries().getByText(name, { exact: true }).click();
	}

	/** Marks of fields that n8n finds wrong. */
	complaints(): Locator {
		return this.page.getByTestId('ndv').getByTestId('parameter-issues');
	}

	async openCollectionList(): Promise<Locator> {
		await this.page
			.getByTestId('resource-locator-collection')
			.getByTestId('rlc-input-container')
			.click();
		return this.page.getByTestId('rlc-item');
	}

	async openNewCredential() {
		await this.page.getByRole('button', { name: 'Connect to Document Extraction' }).click();
		await this.credentialWindow().waitFor();
	}

	async switchOn(name: string) {
		await this.parameter(name).locator('.el-switch:not(.is-checked)').click();
	}

	async switchOff(name: string) {
		await this.parameter(name).locator('.el-switch.is-checked').click();
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

	/** Of everything in the credential window that scrolls, in pixels. */
	async credentialHeight(): Promise<number> {
		return await this.credentialWindow().evaluate((window) =>
			Math.max(...[...window.querySelectorAll('*')].map(({ scrollHeight }) => scrollHeight)),
		);
	}

	credentialFailure(): Locator {
		return this.credentialWindow().locator('.el-tag--danger').filter({ visible: true });
	}

	async fillCredential(fields: Field[]) {
		for (const [name, text] of fields) {
			await this.fillParameter(name, text);
		}
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

	/** Runs the workflow from one of several triggers. */
	async executeFrom(trigger: string) {
		await this.node(trigger).hover();
		await this.page.getByTestId(`execute-workflow-button-${trigger}`).click();
	}

	async executeWorkflow() {
		await this.page.getByTestId('execute-workflow-button').click();
	}

	/** Runs the open node, and what comes before it. */
	async executeNode() {
		await this.page.getByTestId('node-execute-button').click();
	}

	async outputTable(): Promise<TableRow[]> {
		await this.showOutputAs('Table');
		const rows = await this.shownRows();
		// n8n 1 shows ten rows at a time.
		const next = this.output().locator('.el-pagination .btn-next:enabled');
		while (await next.isVisible()) {
			await next.click();
			rows.push(...(await this.shownRows()));
		}
		return rows;
	}

	private async shownRows(): Promise<TableRow[]> {
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

	/** How n8n shows the input of the open node: as Schema, Table, JSON or Binary. */
	async showInputAs(form: string) {
		await this.page.getByTestId('ndv-input-panel').getByRole('radio', { name: form }).click();
	}

	async showOutputAs(form: string) {
		await this.output().getByRole('radio', { name: form }).click();
	}

	/** The parameters of the open node. */
	panel(): Locator {
		return this.page
			.getByTestId('ndv-parameter-panel')
			.or(this.page.getByTestId('node-parameters'))
			.first();
	}

	output(): Locator {
		return this.page.getByTestId('output-panel');
	}

	/** Row and column of the output's table, from 0. */
	outputCell(row: number, column: number): Locator {
		return this.output().locator('tbody tr').nth(row).locator('td').nth(column);
	}

	hints(): Locator {
		return this.output().getByTestId('node-hint');
	}

	failureMessage(): Locator {
		return this.output().locator('.node-error-view__header');
	}

	private optionEntries(): Locator {
		return this.page.locator('[data-test-id="collection-parameter-option"]:visible');
	}

	private async openChoices(name: string): Promise<Locator> {
		const select = this.parameter(name).locator('.el-select');
		// While n8n loads the choices, a click has no effect.
		await select.locator('.el-input__inner:enabled').waitFor();
		await select.click();
		const entries = this.page.locator('.el-select-dropdown:visible .option-headline');
		await entries.first().waitFor();
		return entries;
	}
}
