import type { INodeProperties } from 'n8n-workflow';

/** A collection to place uploads in: interface.md §4.2 takes its ID or its name. */
export const uploadCollection: INodeProperties = {
	displayName: 'Collection',
	name: 'collection',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The collection to add the documents to. Leave empty for none.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a collection…',
			typeOptions: { searchListMethod: 'searchCollections', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 7d0c1f2e-5a4b-4c3d-9e8f-0a1b2c3d4e5f',
		},
		{
			displayName: 'By Name',
			name: 'name',
			type: 'string',
			placeholder: 'e.g. Loan file 4711',
			hint: 'Always choose a collection the same way: by name or by ID',
		},
	],
};

/** A collection that exists; everywhere but on upload, the interface takes its ID only. */
export const existingCollection: INodeProperties = {
	...uploadCollection,
	description: 'Only documents in this collection. Leave empty for all.',
	modes: uploadCollection.modes?.filter(({ name }) => name !== 'name'),
};
