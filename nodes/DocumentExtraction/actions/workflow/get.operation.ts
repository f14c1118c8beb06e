import { valueIn } from '../../account/fields';
import { addHint } from '../../service/client';
import { readWorkflow } from '../../service/workflow';
import { asJson, forEachItem, type Operation } from '../operation';
import { createClient, options } from '../parameters';

const NO_WORKFLOW =
	"The response is perhaps not the service's workflow: it has no 'is_extracting'. Correct the line 'Workflow Endpoint' in the credential: see the item about it in the output of Workflow › Check Setup.";

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
		const workflow = await readWorkflow(client);
		if (valueIn(workflow, 'is_extracting') === undefined) addHint(context, NO_WORKFLOW);
		return [{ json: asJson(workflow) }];
	}),
};
