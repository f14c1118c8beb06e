/** The lists that the editor offers, read from the workflow at the service. */
import { UserError } from 'n8n-workflow';
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { asNodeError } from '../actions/operation';
import { asSentence, shortened, withoutMarkup } from '../http/redact';
import { hasNone, partsWith, readActivity, type PartOfWorkflow } from '../service/workflow';
import { createClient } from '../actions/parameters';

/** The user is waiting, and can open the list again. */
const LONGEST_MS = 30_000;

/**
 * A list of the columns or the collections of the workflow. n8n shows no HTML here: the message says all.
 * @param orElse what to do in the field instead of choosing from the list
 */
async function listOf(
	context: ILoadOptionsFunctions,
	id: 'column_id' | 'collection_id',
	orElse: string,
	entryFor: (part: PartOfWorkflow) => { name: string; value: string; description?: string },
) {
	const stop = AbortSignal.timeout(LONGEST_MS);
	try {
		const client = await createClient(context);
		if ('lacking' in client.account.details.workflowEndpoint) {
			throw new UserError(
				"This list needs the line 'Workflow Endpoint' in the credential's API Details: Workflow › Check Setup says what to enter.",
			);
		}
		// readActivity fails for a response that is no workflow, which would show an empty list.
		const { workflow } = await readActivity({ ...client, stop });
		const entries = partsWith(workflow, id).map(entryFor);
		if (entries.length === 0 && !hasNone(workflow, id)) {
			throw new UserError(
				`The response of 'Workflow Endpoint' has no '${id}', by which the node would find the entries of this list.`,
			);
		}
		// n8n takes a value that begins with = for an expression.
		return entries.filter(({ value }) => value !== '' && !value.startsWith('='));
	} catch (error) {
		const late = `The service did not give the list within ${LONGEST_MS / 1000} seconds. Choose Refresh List in this field's menu.`;
		const failure = stop.aborted ? new UserError(late) : (error as Error);
		const { message } = asNodeError(context.getNode(), failure);
		const words = `${asSentence(message)} To do without the list, ${orElse}.`;
		throw asNodeError(context.getNode(), new UserError(words));
	}
}

/** The editor renders texts as HTML. */
const shown = (text: string) => shortened(withoutMarkup(text));

/** A column by its name, as simplified results have it. */
const byName = ({ title = '' }: PartOfWorkflow) => ({ name: shown(title), value: title });

/** The entries whose name or value has the text that was typed. */
function matching(
	entries: Array<{ name: string; value: string }>,
	filter = '',
): INodeListSearchResult {
	const wanted = filter.toLowerCase();
	return {
		results: entries.filter(({ name, value }) =>
			[name, value].some((text) => text.toLowerCase().includes(wanted)),
		),
	};
}

/** For the field 'Column Names or IDs', with the type and the prompt where the service gives them. */
async function getColumns(this: ILoadOptionsFunctions) {
	const orElse = 'switch this field to Expression and enter the IDs of columns';
	return await listOf(this, 'column_id', orElse, ({ id, title, type, prompt }) => {
		const name = String(title ?? prompt ?? id);
		return {
			name: shown(type === undefined ? name : `${name} (${String(type)})`),
			value: id,
			description: prompt === undefined ? undefined : shown(String(prompt)),
		};
	});
}

async function getColumnNames(this: ILoadOptionsFunctions) {
	const orElse = 'switch this field to Expression and enter the names of columns';
	return await listOf(this, 'column_id', orElse, byName);
}

async function searchColumns(this: ILoadOptionsFunctions, filter?: string) {
	const orElse = "choose 'By Name' and enter the column's name";
	return matching(await listOf(this, 'column_id', orElse, byName), filter);
}

async function searchCollections(this: ILoadOptionsFunctions, filter?: string) {
	const orElse = "choose 'By ID' and enter the collection's ID";
	const byId = ({ id, title = id }: PartOfWorkflow) => ({ name: shown(title), value: id });
	return matching(await listOf(this, 'collection_id', orElse, byId), filter);
}

export const loadOptions = { getColumns, getColumnNames };

export const listSearch = { searchCollections, searchColumns };
