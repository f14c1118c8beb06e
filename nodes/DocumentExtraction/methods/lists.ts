/** The lists that the editor offers, read from the workflow at the service. */
import { UserError } from 'n8n-workflow';
import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { asNodeError } from '../actions/operation';
import { createClient } from '../api/client';
import { partsWith, readActivity } from '../api/workflow';
import { shortened, withoutMarkup } from '../http/redact';

/** The user is waiting, and can open the list again. */
const LONGEST_MS = 30_000;

/**
 * The workflow whose parts a list shows. n8n shows only the message of an error here, so the message
 * also says how to do without the list.
 * @param orElse what to do in the field instead of choosing from the list
 */
async function listedWorkflow(context: ILoadOptionsFunctions, orElse: string): Promise<unknown> {
	const stop = AbortSignal.timeout(LONGEST_MS);
	try {
		const client = await createClient(context);
		if ('lacking' in client.account.workflow) {
			throw new UserError(
				`This list needs 'Workflow Endpoint', which is empty in the credential. Fill it in, or ${orElse}`,
			);
		}
		// readActivity fails for a response that is no workflow, which would show an empty list.
		const { workflow } = await readActivity({ ...client, stop });
		return workflow;
	} catch (error) {
		const reason = stop.aborted
			? new UserError(
					`The service did not give the list within ${LONGEST_MS / 1000} seconds. Open it again, or ${orElse}`,
				)
			: (error as Error);
		throw asNodeError(context.getNode(), reason);
	}
}

/** The columns by name, for the Rows Of field. */
async function searchColumns(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const workflow = await listedWorkflow(this, "choose 'By Name' and enter the column's name");
	return { results: matching(columnNamesOf(workflow), filter) };
}

/** The columns with their type and prompt, for the Columns field. */
async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const orElse = 'switch this field to Expression and enter the IDs of columns';
	return columnsOf(await listedWorkflow(this, orElse));
}

/** The columns by the names that their fields have in simplified results. */
async function getColumnNames(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const orElse = 'switch this field to Expression and enter the names of columns';
	return columnNamesOf(await listedWorkflow(this, orElse));
}

/** The collections, for the Collection field. */
async function searchCollections(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const workflow = await listedWorkflow(this, "choose 'By ID' and enter the collection's ID");
	return { results: matching(collectionsOf(workflow), filter) };
}

/** The entries whose name or value has the text that was typed. */
function matching(entries: Array<{ name: string; value: string }>, filter: string) {
	const wanted = filter.toLowerCase();
	return entries.filter(({ name, value }) =>
		[name, value].some((text) => text.toLowerCase().includes(wanted)),
	);
}

/** The collections, by `collection_id`. */
function collectionsOf(workflow: unknown) {
	return listedParts(workflow, 'collection_id').map(({ id, title }) => {
		return { name: shown(title ?? id), value: id };
	});
}

/** The columns, by `column_id`, with their type and prompt where the service gives them. */
function columnsOf(workflow: unknown) {
	return listedParts(workflow, 'column_id').map(({ id, title, type, prompt }) => {
		return {
			name: shown(
				`${String(title ?? prompt ?? id)}${type === undefined ? '' : ` (${String(type)})`}`,
			),
			value: id,
			description: prompt === undefined ? undefined : shown(String(prompt)),
		};
	});
}

/** The columns, each by its name as it stands. */
function columnNamesOf(workflow: unknown) {
	return listedParts(workflow, 'column_id').flatMap(({ title }) =>
		title === undefined || isExpression(title) ? [] : [{ name: shown(title), value: title }],
	);
}

function listedParts(workflow: unknown, id: 'column_id' | 'collection_id') {
	return partsWith(workflow, id).filter((part) => !isExpression(part.id));
}

/** The editor renders texts as HTML. */
const shown = (text: string) => shortened(withoutMarkup(text));

/** n8n takes a value that begins with = for an expression. */
const isExpression = (value: string) => value.startsWith('=');

export const loadOptions = { getColumns, getColumnNames };

export const listSearch = { searchCollections, searchColumns };
