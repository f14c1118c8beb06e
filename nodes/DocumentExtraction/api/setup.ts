/** Says of each API Detail what to do, from the account's own responses and its API reference. */
import type { Client } from './client';
import type { DocumentExtractionCredential } from './credential';
import { detailText, hasDetail } from './details/detail';
import { uploadFileField } from './details/directUpload';
import { parseEndpoint } from './details/endpoint';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
	RESULT_DETAILS,
	type ApiDetail,
} from './details/labels';
import type { OpenApiDocument } from './details/openApi/document';
import { findDetails } from './details/openApi/findings';
import { COMPLETE } from './details/openApi/findings/bodies';
import type { Findings, Found } from './details/openApi/findings/found';
import { documentIdField, resultFields } from './details/responses';
import { operationsByReadiness, purposeOf, worksNow } from './details/uses';
import { problemOf } from './details/wellFormed';
import {
	documentIdEvidence,
	documentsWithResults,
	readRealResponses,
	statusesSeen,
	tryFields,
	valuesEvidence,
	type Evidence,
	type Trial,
} from './evidence';
import type { DocumentResults } from './simplify';
import { asSentence, sentences } from './sentences';

/**
 * What is to be done about an API Detail. `complete`: a template whose texts in angle brackets are to
 * be replaced. `optional`: all of this, if the user wants what it is for.
 */
type Todo = 'enter' | 'complete' | 'choose' | 'empty' | 'look up' | 'optional' | 'nothing';

/** What can be said of one API Detail: texts, so that every view of the editor shows them. */
export interface SetupItem {
	apiDetail: string;
	/** What to type; empty where nothing is to be entered, or not yet known. */
	enter: string;
	/** One sentence: what this rests on, or what to decide. */
	why: string;
	todo: Todo;
	/** Where several values are possible. */
	choices: string;
	/** The row that this makes of a real document. */
	row: string;
	/** What the credential holds now. */
	inCredential: string;
	/** What is wrong with that. */
	problem: string;
	/** What else the API reference says. */
	note: string;
	neededFor: string;
	/** The switch of the credential that shows the field, where that is off. */
	switchOn: string;
	/** JSON pointers into the OpenAPI document. */
	foundAt: string;
	/** The names of the field and of its switch, for n8n's public API. */
	credentialField: string;
	credentialSwitch: string;
}

export interface Setup {
	/** One for each API Detail in the order in which users need them, and one with all entries. */
	items: SetupItem[];
	/** What works, and the one next thing to do. */
	summary: string;
}

type AllEvidence = { [detail in ApiDetail]?: Evidence };

/**
 * What can be said of every API Detail, with an OpenAPI document or without one. Only reads are made.
 * @param uploads responses to uploads that the flow hands on
 */
export async function checkSetup(
	client: Client,
	document: OpenApiDocument | undefined,
	uploads: unknown[],
): Promise<Setup> {
	const { address, credential, workflowId } = client;
	const findings = document && findDetails(document, { baseUrl: address, workflowId });
	const responses = await readRealResponses(client, uploads);
	const ids = documentIdEvidence(responses);
	const documents = documentsWithResults(responses, credential, ids.value);
	const evidence: AllEvidence = {
		documentIdField: withFallback(ids, findings?.documentIdField),
		...valuesEvidence(responses, documents),
	};
	const trial = trialOf(credential, documents);
	const items = ALL_DETAILS.map((detail) =>
		itemFor(credential, detail, evidence[detail], findings?.[detail], trial),
	);
	const statuses = items.find(({ credentialField }) => credentialField === 'finishedStatuses');
	if (statuses) addStatuses(statuses, statusesSeen(responses), findings?.finishedStatuses);
	return {
		items: [...items, allEntries(items, credential, trial)],
		summary: `${worksNow(credential, trial?.problem)} ${nextOf(items)}`,
	};
}

/** Without real documents, the API reference is what there is. */
function withFallback(ids: Evidence, found?: Found): Evidence | undefined {
	const isUnknown = ids.value === undefined && ids.choices.length === 0;
	return isUnknown && found && found.found.length > 0 ? undefined : ids;
}

/** What the credential's own fields make of real results; undefined where there is nothing to try. */
function trialOf(
	credential: DocumentExtractionCredential,
	documents: DocumentResults[],
): Trial | undefined {
	return isComplete(credential) ? tryFields(documents, resultFields(credential)) : undefined;
}

/** Whether the fields for values are filled in so that Simplify can use them. */
function isComplete(credential: DocumentExtractionCredential): boolean {
	if (RESULT_DETAILS.some((detail) => problemOf(credential, detail) !== undefined)) return false;
	return hasDetail(credential, 'valuesField') || hasDetail(credential, 'columnNameField');
}

/** What an API Detail should be, as far as anything tells. */
interface Verdict extends Evidence {
	/** Whether real responses say so, and not the API reference alone. */
	isReal: boolean;
	/** What to do where nothing is certain. */
	otherwise: 'choose' | 'look up';
	note?: string;
	foundAt: string[];
}

function verdictOn(detail: ApiDetail, evidence?: Evidence, found?: Found): Verdict {
	const values = found?.found.map(({ value }) => value) ?? [];
	const foundAt = found?.found.map(({ at }) => at) ?? [];
	if (evidence?.value !== undefined) {
		const note = disagreement(evidence.value, values);
		return { ...evidence, isReal: true, otherwise: 'choose', note, foundAt };
	}
	const { note } = found ?? {};
	if (evidence) {
		// What the API reference lists is worse to choose from than what a real result will show.
		const isSeen = evidence.choices.length > 0;
		const choices = isSeen ? evidence.choices : values;
		const otherwise = isSeen ? 'choose' : 'look up';
		return { ...evidence, isReal: true, choices, otherwise, note, foundAt };
	}
	if (values.length === 1) {
		const [value] = values;
		const why = found?.check ?? (isToComplete(value) ? COMPLETE : NAMED);
		return { value, choices: [], why, isReal: false, otherwise: 'choose', note, foundAt };
	}
	const why =
		values.length > 0 ? 'The OpenAPI document names several: choose one.' : lookAt(detail);
	const otherwise = values.length > 0 ? 'choose' : 'look up';
	return { choices: values, why, isReal: false, otherwise, note, foundAt };
}

const NAMED = 'The OpenAPI document names it.';

const lookAt = (detail: ApiDetail) =>
	`In your API reference, look at: ${API_DETAILS[detail].lookAt}.`;

/** Real responses win; the user learns that the reference says something else. */
function disagreement(value: string, inDocument: string[]): string | undefined {
	if (value === '' || inDocument.length === 0) return undefined;
	const isDeclared = inDocument.some((path) => path === value || path.endsWith(`.${value}`));
	if (isDeclared) return undefined;
	return `The OpenAPI document does not declare it, but real responses have it. The document has: ${inDocument.slice(0, 5).join(', ')}.`;
}

function itemFor(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	evidence?: Evidence,
	found?: Found,
	trial?: Trial,
): SetupItem {
	const { label, group, emptyIf } = API_DETAILS[detail];
	const value = detailText(credential, detail);
	const problem = problemOf(credential, detail) ?? wrongResult(detail, value, trial);
	const verdict = verdictOn(detail, evidence, found);
	const { todo, why } = whatToDo(credential, detail, verdict, problem);
	const switchOf = group && DETAIL_GROUPS[group];
	const isOff = switchOf !== undefined && !credential[switchOf.switch];
	const isOptional = isOff && switchOf.unneeded !== undefined && todo !== 'nothing';
	const isLeftEmpty = todo === 'look up' && value === '' && emptyIf !== undefined;
	const isTyped = todo === 'enter' || todo === 'complete';
	return {
		apiDetail: label,
		enter: isTyped ? (verdict.value ?? '') : '',
		...(isOptional
			? { why: `Not needed for what you use: ${switchOf.unneeded}.`, todo: 'optional' }
			: isLeftEmpty
				? { why: `Leave it empty if ${emptyIf}.`, todo: 'nothing' }
				: { why, todo }),
		choices: verdict.choices.slice(0, MOST_CHOICES).join(SEPARATOR),
		row: detail === 'valuesField' ? (verdict.row ?? trial?.row ?? '') : '',
		inCredential: withoutKey(credential, value),
		problem: problem ?? '',
		note: sentences(isOptional && !verdict.note?.startsWith(why) && why, verdict.note),
		neededFor: purposeOf(detail),
		switchOn: isOff && todo !== 'nothing' ? switchOf.label : '',
		foundAt: verdict.foundAt.join(SEPARATOR),
		credentialField: detail,
		credentialSwitch: switchOf?.switch ?? '',
	};
}

const MOST_CHOICES = 12;
/** Between parts of a text: no view of the editor breaks lines. */
const SEPARATOR = ' | ';

const isResultDetail = (detail: ApiDetail) => RESULT_DETAILS.includes(detail);

/** Fields that have the right form, and yet make no rows of real results. */
function wrongResult(detail: ApiDetail, value: string, trial?: Trial): string | undefined {
	return isResultDetail(detail) && value !== '' ? trial?.problem : undefined;
}

function whatToDo(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	{ value: right, why, isReal, otherwise }: Verdict,
	problem: string | undefined,
): { todo: Todo; why: string } {
	const isEmpty = detailText(credential, detail) === '';
	if (right === undefined) {
		if (!isEmpty && problem === undefined) return { todo: 'nothing', why: 'It is filled in.' };
		return { todo: isEmpty && isCovered(credential, detail) ? 'nothing' : otherwise, why };
	}
	if (right === '') {
		if (isEmpty) return { todo: 'nothing', why };
		return { todo: 'empty', why: why.replace(/^Leave it empty/, 'Empty it') };
	}
	if (isSame(credential, detail, right))
		return { todo: 'nothing', why: `It is right: ${lowered(isReal ? why : NAMED)}` };
	const isTemplate = isToComplete(right);
	if (isTemplate && !isEmpty && problem === undefined)
		return { todo: 'nothing', why: 'It is filled in.' };
	return { todo: isTemplate ? 'complete' : 'enter', why };
}

/** Whether an empty field is one of three of which those that are filled in may do. */
function isCovered(credential: DocumentExtractionCredential, detail: ApiDetail): boolean {
	return isResultDetail(detail) && isComplete(credential);
}

const isToComplete = (text: string) => /"<[^"]*>"/.test(text);

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Whether the credential says the same, maybe in another spelling. */
function isSame(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	right: string,
): boolean {
	if (problemOf(credential, detail) !== undefined) return false;
	const value = detailText(credential, detail);
	if (detail === 'documentIdField') return documentIdField(credential) === right;
	if (value === '') return false;
	switch (detail) {
		case 'uploadFileField':
			return uploadFileField(credential) === right;
		case 'workflowEndpoint':
		case 'uploadUrlEndpoint': {
			const { method, path } = parseEndpoint(credential, detail);
			return `${method} ${path}` === right;
		}
		default:
			return value === right;
	}
}

/** A command may have been pasted whole. */
function withoutKey({ apiKey }: DocumentExtractionCredential, value: string): string {
	return value.replaceAll(apiKey, '***').replace(/Bearer\s+\S+/gi, 'Bearer ***');
}

/** Which statuses mean finished is for the user to say; which ones there are, documents show. */
function addStatuses(
	item: SetupItem,
	{ statuses, why }: { statuses: string[]; why?: string },
	found?: Findings['finishedStatuses'],
) {
	const declared = found?.found.map(({ value }) => value) ?? [];
	const others = declared.length > 0 ? statuses.filter((status) => !declared.includes(status)) : [];
	item.choices = [...new Set([...declared, ...statuses])].join(SEPARATOR);
	item.note = sentences(
		item.note,
		why,
		statuses.length > 0 && `Real documents have: ${statuses.join(', ')}.`,
		others.length > 0 && `The OpenAPI document does not declare ${others.join(', ')}.`,
	);
}

const TO_DO_NEXT: Todo[] = ['enter', 'complete', 'choose', 'empty', 'look up'];

/** The one next thing to do. */
function nextOf(items: SetupItem[]): string {
	const open = items.filter(({ todo }) => TO_DO_NEXT.includes(todo));
	const [first] = open;
	if (!first) return 'Next: nothing, all that you use is set up.';
	const typed = open.filter(({ todo }) => todo === 'enter');
	if (typed.length > 0) {
		const [{ apiDetail, enter }] = typed;
		const rest = typed.length > 1 ? `, and ${typed.length - 1} more from the last item` : '';
		return `Next: in the credential, enter ${enter} in '${apiDetail}'${rest}.`;
	}
	switch (first.todo) {
		case 'choose':
			return `Next: choose '${first.apiDetail}' from its 'choices'.`;
		case 'empty':
			return `Next: empty '${first.apiDetail}' in the credential.`;
		default:
			return `Next: '${first.apiDetail}'. ${first.why}`;
	}
}

/** All entries as one text, to be kept beside the credential window, which covers the output. */
function allEntries(
	items: SetupItem[],
	credential: DocumentExtractionCredential,
	trial: Trial | undefined,
): SetupItem {
	const { ready, lacking } = operationsByReadiness(credential, trial?.problem);
	const needed = items.filter(({ todo }) => TO_DO_NEXT.includes(todo));
	const optional = items.filter(({ todo, enter }) => todo === 'optional' && enter !== '');
	const entries = [
		...entriesOf(needed),
		...(optional.length > 0 ? ['only if you want them:', ...entriesOf(optional)] : []),
	];
	return {
		apiDetail: 'All Entries',
		enter: entries.join(SEPARATOR),
		why: 'Keep this text beside the credential window, which covers the output.',
		todo: 'nothing',
		choices: '',
		row: trial?.row ?? '',
		inCredential: '',
		problem: '',
		note: sentences(
			`Works with what is filled in: ${ready.join('; ')}.`,
			lacking.length > 0 && `Does not work yet: ${lacking.join('; ')}.`,
		),
		neededFor: '',
		switchOn: '',
		foundAt: '',
		credentialField: '',
		credentialSwitch: '',
	};
}

/** The entries of some items, each switch before the first of its fields. */
function entriesOf(items: SetupItem[]): string[] {
	const switches = new Set<string>();
	return items.flatMap(({ apiDetail, enter, todo, why, switchOn }) => {
		const isFirst = switchOn !== '' && !switches.has(switchOn);
		switches.add(switchOn);
		const entry = enter || (todo === 'empty' ? '(empty)' : `(${todo}) ${asSentence(why)}`);
		return [...(isFirst ? [`${switchOn}: switch on`] : []), `${apiDetail}: ${entry}`];
	});
}
