/** The workflow's metadata, and the sign by which a wait tells that an extraction is over. */
import { UserError } from 'n8n-workflow';

import { mapInOrder } from '../http/concurrency';
import { DEEPEST_LEVEL } from '../http/redact';
import { CallError } from './callError';
import type { Client } from './client';
import { hasDetail, howToCorrect } from './details/apiDetails';
import { isObject, levelsOf, valueIn } from './details/fields';
import { endpoint } from './details/requests';
import { finishedStatuses } from './details/responses';
import { readResults } from './extractions';
import { fewOf } from './run';
import { callService } from './service';

const metadataEndpoint = ({ credential, workflowId }: Client) =>
	endpoint(credential, 'workflowEndpoint', { workflow_id: workflowId });

/** The workflow's metadata, through the API Detail 'Workflow Endpoint' (interface.md §4.1). */
export async function readWorkflow(client: Client): Promise<unknown> {
	const { json } = await callService(client, {
		...metadataEndpoint(client),
		isRead: true,
		expects: 'json',
		madeFrom: ['workflowEndpoint'],
	});
	return json;
}

export interface WorkflowActivity {
	isExtracting: boolean;
	/** `extraction_status` as the service puts it; its values are not shown. */
	status: unknown;
	workflow: unknown;
}

/** Whether the workflow is extracting now, from its metadata. */
export async function readActivity(client: Client): Promise<WorkflowActivity> {
	const workflow = await readWorkflow(client);
	const isExtracting = valueIn(workflow, 'is_extracting');
	if (typeof isExtracting !== 'boolean') {
		throw new CallError({
			message:
				"The response of the API Detail 'Workflow Endpoint' does not contain 'is_extracting'",
			description: howToCorrect('workflowEndpoint'),
			failure: { cause: 'configuration-invalid' },
		});
	}
	return { isExtracting, status: valueIn(workflow, 'extraction_status'), workflow };
}

/** How far below an object its own fields may be; those further down belong to other objects. */
const NEAR = 3;

/** A column or a collection in the metadata. */
interface PartOfWorkflow {
	id: string;
	/** What it is called. */
	title: string | undefined;
	/** Of a column, where the service gives them. */
	type: unknown;
	prompt: unknown;
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

/** What tells that an extraction is over: documents' statuses, `is_extracting`, or the results alone. */
export type Sign = 'statuses' | 'workflow' | 'results';

/**
 * The best sign that the credential offers.
 * @param areNamed whether certain documents are extracted, and not all in the workflow
 */
export function signOf({ credential }: Client, areNamed: boolean): Sign {
	if (!areNamed) return 'workflow';
	if (finishedStatuses(credential).size > 0) return 'statuses';
	return hasDetail(credential, 'workflowEndpoint') ? 'workflow' : 'results';
}

const OTHER_SIGN =
	"Open the credential and fill in 'Finished Statuses' or 'Workflow Endpoint', or switch off 'Wait Until Extracted'.";

/**
 * Checks, before the first request, that there is a sign to wait for.
 * @param areOverwritten whether old results stay visible until new ones replace them
 * @throws UserError naming the API Details that are missing or malformed
 */
export function assertCanWait(client: Client, { areNamed = true, areOverwritten = false } = {}) {
	const sign = signOf(client, areNamed);
	if (sign === 'workflow') metadataEndpoint(client);
	if (sign !== 'results' || !areOverwritten) return;
	throw new UserError(
		"Waiting after 'Force' needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
		{
			description: `The old results stay until the new ones are there, so results alone do not tell when the extraction is over. ${OTHER_SIGN}`,
		},
	);
}

/** What was known of documents, or of the workflow, before an extraction was started. */
export interface BeforeStart {
	/** Whether a document had no results: then any result is from this extraction. */
	isNew: boolean;
	/** Whether the workflow was already extracting. */
	wasBusy: boolean;
}

/**
 * Reads, before an extraction of documents at the service is started, the state that a wait compares
 * later states with. Where results are the only sign, there must be none yet.
 * @param documentIds none for all in the workflow
 * @throws UserError naming the documents that have results
 */
export async function lookBeforeStart(client: Client, documentIds: string[]): Promise<BeforeStart> {
	const sign = signOf(client, documentIds.length > 0);
	if (sign === 'statuses') return { isNew: false, wasBusy: false };
	if (sign === 'workflow') {
		return { isNew: false, wasBusy: (await readActivity(client)).isExtracting };
	}
	const results = await mapInOrder(
		documentIds,
		client.maxConcurrency,
		async (id) => await readResults(client, { documentId: id }, 1),
	);
	const extracted = documentIds.filter((_, index) => results[index].length > 0);
	if (extracted.length === 0) return { isNew: true, wasBusy: false };
	throw new UserError(
		"Waiting for documents that have results already needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
		{
			description: `Nothing was started. These documents have results: ${fewOf(extracted)}. Old results cannot be told from new ones. ${OTHER_SIGN}`,
		},
	);
}
