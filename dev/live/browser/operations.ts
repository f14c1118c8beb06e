import assert from 'node:assert/strict';
import type { INodePropertyOptions } from 'n8n-workflow';
import { properties } from '../../../nodes/DocumentExtraction/actions/operations.ts';
import { live } from '../stage/live.ts';

/** What a list of the panel offers, for a resource where it depends on that. */
const offered = (field: string, resource?: INodePropertyOptions) =>
	properties
		.filter(({ name }) => name === field)
		.filter(({ displayOptions }) => {
			return !resource || displayOptions?.show?.resource?.includes(resource.value);
		})
		.flatMap(({ options = [] }) => options as INodePropertyOptions[]);

live('every operation is offered, and begins without complaints', async (stage) => {
	const editor = await stage.openEditor();
	await stage.credential();
	await editor.openNewWorkflow();
	await editor.addAction('Extract values from files with your service');

	for (const resource of offered('resource')) {
		await editor.choose('resource', resource.name);
		for (const operation of offered('operation', resource)) {
			await editor.choose('operation', operation.name);
			await editor.page.getByTestId('collection-parameter-add').waitFor();
			assert.equal(await editor.complaints().count(), 0, operation.name);
		}
	}
});
