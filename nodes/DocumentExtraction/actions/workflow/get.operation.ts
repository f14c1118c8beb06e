import type { IExecuteFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { readWorkflow } from '../../api/workflow';
import { forOperation, options } from '../fields/options';
import { asJson } from '../operation';

export const description = forOperation('workflow', 'get', [options()]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const client = await createClient(context, itemIndex);
	const workflow = await readWorkflow(client);
	return [{ json: asJson(workflow) }];
}
