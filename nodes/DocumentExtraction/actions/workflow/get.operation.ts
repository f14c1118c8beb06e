import { createClient } from '../../api/client';
import { readWorkflow } from '../../api/workflow';
import { asJson, forEachItem, type Operation } from '../operation';
import { options } from '../parameters';

export const getWorkflow: Operation = {
	resource: 'workflow',
	name: 'Get',
	value: 'get',
	description: "Retrieve the service's workflow with its columns, collections and stages",
	action: 'Get workflow with its columns',
	uses: ['workflow'],
	output: 'raw',
	fields: [options()],
	run: forEachItem(async (context, itemIndex) => {
		const client = await createClient(context, itemIndex);
		const workflow = await readWorkflow(client);
		return [{ json: asJson(workflow) }];
	}),
};
