import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { collectionsOf } from '../api/structure';
import { listedWorkflow } from './listedWorkflow';

/** The collections of the workflow, for the Collection field. */
async function searchCollections(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const workflow = await listedWorkflow(this);
	const wanted = filter.toLowerCase();
	const results = collectionsOf(workflow).filter(({ name, value }) =>
		[name, value].some((text) => text.toLowerCase().includes(wanted)),
	);
	return { results };
}

export const listSearch = { searchCollections };
