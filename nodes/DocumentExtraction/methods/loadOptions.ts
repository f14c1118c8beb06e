import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { columnNamesOf, columnsOf } from '../api/structure';
import { listedWorkflow } from './listedWorkflow';

/** The columns of the workflow with their type and prompt, for the Columns field. */
async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return columnsOf(await listedWorkflow(this));
}

/** The same by the names that their fields have in simplified results. */
async function getColumnNames(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return columnNamesOf(await listedWorkflow(this));
}

export const loadOptions = { getColumns, getColumnNames };
