import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Stage } from '../stage.ts';

export default ({ editor, service, credential, picture }: Stage) => {
	const { collections, columns } = service.account.environments.test.workflows.main;

	describe('dropdowns', () => {
		before(async () => {
			await credential();
			await editor.openNewWorkflow();
			await editor.addAction('Extract from files');
		});

		test('list the collections of the workflow by their names', async () => {
			const listed = await editor.openCollectionList();
			await listed.first().waitFor();
			const names = (await listed.allInnerTexts()).map((text) => text.trim());
			assert.deepEqual(names.sort(), collections.map(({ name }) => name).sort());
			await picture('collections');
			await editor.page.keyboard.press('Escape');
		});

		test('list the columns of the workflow with their type', async () => {
			await editor.addOption('Column Names or IDs');
			const texts = await editor.dropdownTexts('columnIds');
			assert.deepEqual(texts.sort(), columns.map(({ name, type }) => `${name} (${type})`).sort());
		});
	});
};
