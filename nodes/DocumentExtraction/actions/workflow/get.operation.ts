import { readWorkflow } from '../../service/workflow';
import { asJson, forEachItem, type Operation } from '../operation';
import { createClient, options } from '../parameters';

export const getWorkflow: Operation = {
	resource: 'workflow',
	name: 'Get',
	value: 'get',
	description: "Retrieve the service's workflow with its columns, collections and stages",
	action: 'Get workflow with its columns',
	output: 'raw',
	fields: [options()],
	run: forEachItem(async (context, itemIndex) => {
		const client = await createClient(context, itemIndex);
		return [{ json: asJson(await readWorkflow(client)) }];
	}),
};
