import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { columnsOf } from '../transport/structure';
import { connect } from '../transport/connection';
import { readWorkflow } from '../transport/workflow';

/** The columns of the workflow with their type and prompt, for the Columns field. */
async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return columnsOf(await readWorkflow(this, await connect(this)));
}

export const loadOptions = { getColumns };
