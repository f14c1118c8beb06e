import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILES } from '../../../test/support/profiles.ts';
import type { Stage } from '../stage.ts';

export default ({ n8n, account }: Stage) => {
	for (const profile of PROFILES) {
		test(`list the workflow's collections and columns, with the API Details of ${profile}`, async () => {
			const { service, credential } = await account(profile);
			const { collections, columns } = service.account.environments.test.workflows.main;

			const { results } = await n8n.listSearch({
				methodName: 'searchCollections',
				field: 'collection',
				parameters: {},
				credential,
			});
			const options = await n8n.loadOptions({
				methodName: 'getColumns',
				field: 'options.columnIds',
				parameters: {},
				credential,
			});

			assert.deepEqual(
				results.map(({ value }) => value).sort(),
				collections.map(({ id }) => id).sort(),
			);
			assert.deepEqual(
				options.map(({ value }) => String(value)).sort(),
				columns.map(({ id }) => String(id)).sort(),
			);
		});
	}
};
