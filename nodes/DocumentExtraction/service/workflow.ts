/** The workflow's metadata (interface.md §4.1). */
import { DEEPEST_LEVEL } from '../http/redact';
import { howToCorrect } from '../account/apiDetails';
import { finding } from './callError';
import type { Client } from './client';
import { fromLine, ready } from '../account/account';
import {
	isObject,
	levelsOf,
	outsideLists,
	ownValue,
	textIn,
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
	const endpoint = ready(account.details.workflowEndpoint);
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
 * Whether the workflow is extracting now, from its metadata; what stands in a list is about others.
 * @throws CallError where that does not tell
 */
export async function readActivity(client: Client): Promise<WorkflowActivity> {
	const workflow = await readWorkflow(client);
	const isExtracting = [...levelsOf(workflow, DEEPEST_LEVEL, outsideLists)]
		.flat()
		.map((part) => ownValue(part, 'is_extracting'))
		.find((value) => typeof value === 'boolean');
	if (isExtracting === undefined) {
		throw finding([
			"'Workflow Endpoint' in the credential does not lead to the service's workflow",
			`The response does not say whether the workflow ${client.workflowId} is extracting ('is_extracting').`,
			howToCorrect('workflowEndpoint'),
		]);
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

type PartId = 'column_id' | 'collection_id';

/** What an object has that is about something else, and only mentions such an ID (interface.md §2). */
const OF_OTHERS = {
	column_id: ['document_id', 'is_extracting'],
	collection_id: ['document_id', 'column_id', 'is_extracting'],
};

/**
 * The objects in the metadata, at any depth, that have such an ID, each once. Their shape is not shown
 * (interface.md §2).
 */
export function partsWith(workflow: unknown, id: PartId): PartOfWorkflow[] {
	const objects = [...levelsOf(workflow, DEEPEST_LEVEL)].flat().filter(isObject);
	const parts = new Map<string, PartOfWorkflow>();
	for (const object of objects) {
		const value = textIn(object, id, 0);
		const isOther = OF_OTHERS[id].some((name) => Object.hasOwn(object, name));
		if (value === undefined || isOther) continue;
		const near = (field: string) => valueIn(object, field, NEAR) ?? undefined;
		const title = titleOf(object);
		// What is mentioned elsewhere without its title is no other one.
		if (title === undefined && parts.has(value)) continue;
		parts.set(value, {
			id: value,
			title,
			type: near('type'),
			prompt: near('prompt'),
			fields: object,
		});
	}
	return [...parts.values()];
}

/** Whether the metadata says that the workflow has no such parts, by an empty list of them. */
export function hasNone(workflow: unknown, id: PartId): boolean {
	const list = valueIn(workflow, id === 'column_id' ? 'columns' : 'collections');
	return Array.isArray(list) && list.length === 0;
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

/** Names of fields that say what something is called, the most telling first. */
const TITLES = [/^name$/i, /name$/i, /^(title|label|caption|heading|header)$/i];
/** Fields with a text that says something else. */
const NO_TITLE =
	/id$|^(prompt|type|status|state|stage|description|format|language)$|_status$|(_at|At)$/;

/** What a column or collection is called. The field is not shown: it is a text that says nothing else. */
function titleOf(object: object): string | undefined {
	const texts = Object.entries(object).filter(
		([key, value]) => typeof value === 'string' && value.trim() !== '' && !NO_TITLE.test(key),
	);
	const telling = TITLES.map((pattern) => texts.find(([key]) => pattern.test(key)));
	const [, title] = telling.find((entry) => entry) ?? texts[0] ?? [];
	return title as string | undefined;
}
