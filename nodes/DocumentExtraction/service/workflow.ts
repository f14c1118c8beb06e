/** The workflow's metadata (interface.md §4.1). */
import { DEEPEST_LEVEL } from '../http/redact';
import { CallError } from './callError';
import type { Client } from './client';
import { fromLine, ready } from '../account/account';
import {
	isObject,
	levelsOf,
	outsideLists,
	ownValue,
	valueIn,
	type JsonObject,
} from '../account/fields';
import { filledEndpoint } from '../account/parse';
import { callService } from './call';

/**
 * The workflow's metadata, through the API Detail 'Workflow Endpoint' (interface.md §4.1).
 * @throws UserError if that is empty or malformed
 */
export async function readWorkflow(client: Client): Promise<unknown> {
	const { account, workflowId } = client;
	const endpoint = ready(account.workflow);
	const { json } = await callService(client, {
		...fromLine('workflowEndpoint', () => filledEndpoint(endpoint, { workflow_id: workflowId })),
		isRead: true,
		expects: 'json',
		fromDetails: ['workflowEndpoint'],
	});
	return json;
}

export interface WorkflowActivity {
	isExtracting: boolean;
	/** `extraction_status` as the service puts it; its values are not shown. */
	status: unknown;
	workflow: unknown;
}

/**
 * Whether the workflow is extracting now, from its metadata; what stands in a list is not about the one workflow.
 * @throws CallError where that does not tell
 */
export async function readActivity(client: Client): Promise<WorkflowActivity> {
	const workflow = await readWorkflow(client);
	const isExtracting = [...levelsOf(workflow, DEEPEST_LEVEL, outsideLists)]
		.flat()
		.map((part) => ownValue(part, 'is_extracting'))
		.find((value) => typeof value === 'boolean');
	if (isExtracting === undefined) {
		throw new CallError({ kind: 'not the workflow', workflowId: client.workflowId });
	}
	return { isExtracting, status: valueIn(workflow, 'extraction_status'), workflow };
}

/** How far below an object its own fields may be; those further down belong to other objects. */
const NEAR = 3;

/** A column or a collection in the metadata. */
export interface PartOfWorkflow {
	id: string;
	/** What it is called. */
	title: string | undefined;
	/** Of a column, where the service gives them. */
	type: unknown;
	prompt: unknown;
	/** All that the service says of it. */
	fields: JsonObject;
}

/** The objects in the metadata, at any depth, that have such an ID. Their shape is not shown (interface.md §2). */
export function partsWith(workflow: unknown, id: 'column_id' | 'collection_id'): PartOfWorkflow[] {
	return [...levelsOf(workflow, DEEPEST_LEVEL)]
		.flat()
		.filter(isObject)
		.filter((object) => Object.hasOwn(object, id))
		.map((object) => {
			const near = (field: string) => valueIn(object, field, NEAR);
			return {
				id: String(near(id)),
				title: titleOf(object),
				type: near('type'),
				prompt: near('prompt'),
				fields: object,
			};
		});
}

/**
 * What each column may be called in results: by its ID or by its title.
 * @param columnIds the columns that are wanted; empty for all
 */
export function columnNames(workflow: unknown, columnIds: string[]): string[][] {
	return partsWith(workflow, 'column_id')
		.filter(({ id }) => columnIds.length === 0 || columnIds.includes(id))
		.map(({ id, title }) => (title === undefined ? [id] : [id, title]));
}

/** What a column or collection is called. The name's field is not shown: it is a text that is no ID. */
function titleOf(object: object): string | undefined {
	const texts = Object.entries(object).filter(
		([key, value]) => typeof value === 'string' && value && !/id$|^(prompt|type)$/i.test(key),
	);
	const [, title] = texts.find(([key]) => /name$/i.test(key)) ?? texts[0] ?? [];
	return title as string | undefined;
}
