import type { IExecuteFunctions } from 'n8n-workflow';

import { connect } from '../../transport/connection';
import { readWorkflow } from '../../transport/workflow';
import { forOperation, options } from '../fields';
import { asJson } from '../operation';

export const description = forOperation('workflow', 'get', [options()]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const connection = await connect(context, itemIndex);
	const workflow = await readWorkflow(context, connection);
	return [{ json: asJson(workflow) }];
}
