/**
 * On whose behalf calls are made: the checked credential of an item, and its options. Also
 * checks the values of fields, which expressions, agents and earlier nodes may fill with anything.
 */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { accountOf, type Account } from '../account/account';
import {
	checkedWorkflowId,
	CREDENTIAL_TYPE,
	WORKFLOW_ID_LABEL,
	type DocumentExtractionCredential,
} from '../account/credential';
import { unquoted } from '../account/parse';
import { settled, type Outcome } from '../http/concurrency';
import { parsedJson } from '../http/response';
import { isInDoubt } from './callError';
import { sentences } from './sentences';
import { isExecution, runOf, stopSignal, type Context, type Journal, type Run } from './run';

/** What every call of the service is given. */
export interface Client {
	readonly context: Context;
	/**
	 * On whose behalf it writes: an item's, a file's, or the whole run's (`forWholeRun`). Equal writes on
	 * behalf of two of them are two writes.
	 */
	readonly position: ReadonlyArray<number | string>;
	readonly account: Account;
	readonly workflowId: string;
	/** The most requests that this execution has in flight to the service; uploads may be more, see `mostUploads`. */
	readonly maxConcurrency: number;
	/** Ends all waiting: aborted by Stop, the execution's own time limit, or that of a part of the work. */
	readonly stop: AbortSignal | undefined;
	/** For looks, which are repeated anyway: how long each waits for a response, in ms; uploads wait far longer. */
	readonly patienceMs?: number;
	readonly run: Run;
	readonly journal: Journal;
}

export const DEFAULT_MAX_CONCURRENCY = 16;

/** How long a look waits for a response at first, in ms. */
export const LOOK_PATIENCE_MS = 10_000;

/** The most uploads under way: while some files are read, or wait for their upload URL, others are sent. */
export function mostUploads({ maxConcurrency }: Pick<Client, 'maxConcurrency'>): number {
	return 2 * maxConcurrency - 1;
}

/**
 * Checks the credential, before any request; its fields may hold expressions, and differ by item. An
 * operation's options may name another workflow and another Max Concurrency.
 * @throws UserError naming the field that is wrong
 */
export async function createClient(context: Context, itemIndex?: number): Promise<Client> {
	// After Stop, no further items are read.
	stopSignal(context)?.throwIfAborted();
	const credential = await context.getCredentials<DocumentExtractionCredential>(
		CREDENTIAL_TYPE,
		itemIndex,
	);
	const options: IDataObject = isExecution(context)
		? context.getNodeParameter('options', itemIndex ?? 0, {})
		: ((context.getCurrentNodeParameter('options') ?? {}) as IDataObject);
	const workflowId = idFrom(options.workflowId, WORKFLOW_ID_LABEL);
	if (isExecution(context) && 'workflowId' in options && !workflowId) {
		const raw = rawParameter(context, itemIndex ?? 0, 'options.workflowId');
		assertLeftEmpty(WORKFLOW_ID_LABEL, raw, "the credential's workflow");
	}
	const checkedId = checkedWorkflowId(
		workflowId || credential.workflowId,
		`'${WORKFLOW_ID_LABEL}'`,
	);
	if (checkedId === context.getWorkflow().id) {
		throw new UserError(`'${WORKFLOW_ID_LABEL}' is the ID of this workflow in n8n`, {
			description: `Open the ${workflowId ? "node's options" : 'credential'} and enter the ID from the workflow's page in your account at the extraction service instead.`,
		});
	}
	const run = runOf(context);
	const content = JSON.stringify(credential);
	const journal = run.journals.get(content) ?? {
		account: accountOf(credential),
		writes: new Map(),
		hasFoundIds: false,
		workingDetails: new Set(),
	};
	run.journals.set(content, journal);
	return {
		context,
		position: itemIndex === undefined ? [] : [itemIndex],
		account: journal.account,
		workflowId: checkedId,
		maxConcurrency: checkedNumber(
			'Max Concurrency',
			options.maxConcurrency === undefined ? DEFAULT_MAX_CONCURRENCY : options.maxConcurrency,
		),
		stop: stopSignal(context),
		run,
		journal,
	};
}

/** The client for writes that are about a document, whichever items name it: equal ones are one write. */
export function forWholeRun(client: Client): Client {
	return { ...client, position: [] };
}

/** What tells a write from others at one position in the input. */
const keyOf = ({ position }: Client, write: string) => JSON.stringify([position, write]);

/** A write that was made, may have been made, or is under way; undefined where it certainly was not made. */
export function recalled(client: Client, write: string): Promise<Outcome<unknown>> | undefined {
	return client.journal.writes.get(keyOf(client, write));
}

/**
 * Makes a write, or what else is done once, unless an earlier try of this execution or another item has
 * made it or is making it: n8n's Retry On Fail runs the whole node again, and two items may ask for the
 * same. Then what was done, or may have been done, is told again.
 * @param isAgain whether to make it again, because its earlier result is no longer of use
 * @throws the write's error; also that of an earlier try whose outcome is unknown
 */
export async function once<T>(
	client: Client,
	write: string,
	make: () => Promise<T>,
	isAgain = false,
): Promise<T> {
	const { writes } = client.journal;
	const key = keyOf(client, write);
	const makeAndForget = async () => {
		const made = await settled(make());
		if (made.error && !isInDoubt(made.error)) writes.delete(key);
		return made;
	};
	const earlier = isAgain ? undefined : writes.get(key);
	const outcome = earlier ?? makeAndForget();
	writes.set(key, outcome);
	const { error, value } = (await outcome) as Outcome<T> & { value: T };
	if (error) throw error;
	return value;
}

/** @throws UserError naming the field, where its value is no such number; nothing is no number, and not 0 */
export function checkedNumber(label: string, value: unknown, least = 1, isWhole = false): number {
	const isGiven = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
	const number = isGiven ? Number(value) : NaN;
	if (number >= least && (!isWhole || Number.isInteger(number))) return number;
	const kind = isWhole ? 'whole number' : 'number';
	throw new UserError(`'${label}' must be a ${kind} of at least ${least}`);
}

/** A parameter as it was entered, with its expressions not resolved. */
export function rawParameter(context: IExecuteFunctions, itemIndex: number, name: string): unknown {
	return context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
}

/**
 * Refuses a field that gives nothing although something was entered, where an empty field would mean
 * something else, e.g. all documents.
 * @param raw the parameter before expressions are resolved
 * @param meaning what an empty field means
 * @throws UserError naming the field
 */
export function assertLeftEmpty(label: string, raw: unknown, meaning: string) {
	if (String(raw ?? '') === '') return;
	const isExpression = String(raw).startsWith('=');
	const how = isExpression ? 'switch the field to Fixed and clear it' : 'clear the field';
	throw new UserError(`${isExpression ? 'The expression in ' : ''}'${label}' gives nothing`, {
		description: `An empty field would mean ${meaning}, so the node stopped. ${isExpression ? 'Open the expression and look at what it gives. Correct it, or the earlier step that should give the value' : 'Correct what is entered'}. If you want ${meaning}, ${how}. If the field should be empty for some items only, send those items to another Document Extraction node.`,
	});
}

/** What n8n turns an object into if there is other text beside its expression. */
export const OBJECT_AS_TEXT = '[object Object]';

/**
 * A text without space around it; empty for nothing.
 * @param label of the field
 * @throws UserError for what is no text: it would be sent as `[object Object]`; also for a number that
 * JavaScript has rounded: as an ID, it would name something else
 */
export function textFrom(value: unknown, label: string): string {
	if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
		throw new UserError(`'${label}' is a number with more digits than n8n keeps`, {
			description: sentences(
				`Its last digits are lost already: ${value} may be the ID of something else.`,
				'Give it as text: put it in double quotes where it comes from,',
				'or take it from a field in which it is text.',
			),
		});
	}
	const text = typeof value === 'object' && value !== null ? OBJECT_AS_TEXT : String(value ?? '');
	if (!text.includes(OBJECT_AS_TEXT)) return text.trim();
	throw new UserError(
		`'${label}' gives ${Array.isArray(value) ? 'a list' : 'an object'}, not text`,
		{
			description:
				'Enter the field inside it that contains the text: {{ $json.documentId }}, for example, in place of {{ $json }}.',
		},
	);
}

/**
 * The entries of a list, as JSON too, or of a text that is split; without quotation marks and empty ones.
 * @param split how a text that is no JSON list is split
 */
export function listFrom(
	value: unknown,
	label: string,
	split: (text: string) => string[],
): string[] {
	const list = Array.isArray(value) ? (value as unknown[]) : listIn(textFrom(value, label), split);
	return list.map((entry) => unquoted(textFrom(entry, label))).filter(Boolean);
}

export const atCommas = (text: string) => text.split(',');

/** Agents give lists as text. */
function listIn(text: string, split: (text: string) => string[]): unknown[] {
	const isList = text.startsWith('[') && text.endsWith(']');
	const json = isList || text.startsWith('{') ? parsedJson(text) : undefined;
	if (json !== undefined) return [json].flat();
	return split(isList ? text.slice(1, -1) : text);
}

/** IDs, each once: separated by commas, or a list. */
export function idsFrom(value: unknown, label: string): string[] {
	return [...new Set(listFrom(value, label, atCommas))];
}

/** The one ID that a field takes, which may hold commas itself; empty for nothing. */
export function idFrom(value: unknown, label: string): string {
	const ids = listFrom(value, label, (text) => [text]);
	if (ids.length <= 1) return ids[0] ?? '';
	throw new UserError(`'${label}' takes one ID, but got ${ids.length}`, {
		description: 'Enter one of them. For several IDs, give this node one input item per ID.',
	});
}
