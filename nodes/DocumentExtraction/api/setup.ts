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
} from './details/apiDetails';
import type { OpenApiDocument } from './details/openApi/reading';
import { findDetails, type Findings, type Found } from './details/openApi/findings';
import { COMPLETE } from './details/openApi/bodies';
import { DOCUMENT_ID, documentIdField, resultFields } from './details/responses';
import {
	operationsByReadiness,
	worksNow,
	type DetailProblems,
	type UsingOperation,
} from './details/uses';
import { problemOf } from './details/wellFormed';
import {
	documentIdEvidence,
	documentsWithResults,
	lacksId,
	readRealResponses,
	statusesSeen,
	tryFields,
	valuesEvidence,
	type Evidence,
	type RealResponses,
	type Trial,
} from './evidence';
import type { DocumentResults } from './simplify';
import { asSentence, sentences } from './run';

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
	/** What is wrong with what the credential holds, the row that this makes, what the API reference says. */
	note: string;
	/** What the credential holds now. */
	inCredential: string;
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
 * @param operations those that it says are ready or not
 */
export async function reviewSetup(
	client: Client,
	document: OpenApiDocument | undefined,
	uploads: unknown[],
	operations: UsingOperation[],
): Promise<Setup> {
	const { address, credential, workflowId } = client;
	const findings = document && findDetails(document, { baseUrl: address, workflowId });
	const responses = await readRealResponses(client, uploads);
	const ids = documentIdEvidence(responses, documentIdName(credential));
	const documents = documentsWithResults(responses, credential, ids.value);
	const evidence: AllEvidence = {
		documentIdField: withFallback(ids, findings?.documentIdField),
		...valuesEvidence(responses, documents),
	};
	const trial = trialOf(credential, documents);
	const problems = problemsOf(credential, responses, trial);
	const items = ALL_DETAILS.map((detail) =>
		itemFor(credential, detail, evidence[detail], findings?.[detail], problems[detail], trial),
	);
	const statuses = items.find(({ credentialField }) => credentialField === 'finishedStatuses');
	if (statuses) addStatuses(statuses, statusesSeen(responses), findings?.finishedStatuses);
	return {
		items: [...items, allEntries(items, credential, problems, operations, trial)],
		summary: `${worksNow(credential, problems)} ${nextOf(items)}`,
	};
}

/** The field for document IDs as it stands, in whatever form. */
const documentIdName = (credential: DocumentExtractionCredential) =>
	detailText(credential, 'documentIdField') || DOCUMENT_ID;

/** What is wrong with what is filled in: its form, or that real responses do not bear it out. */
function problemsOf(
	credential: DocumentExtractionCredential,
	responses: RealResponses,
	trial: Trial | undefined,
): DetailProblems {
	const ofContent = (detail: ApiDetail) => {
		if (detail === 'documentIdField') return lacksId(responses, documentIdName(credential));
		return isResultDetail(detail) && hasDetail(credential, detail) ? trial?.problem : undefined;
	};
	return Object.fromEntries(
		ALL_DETAILS.flatMap((detail) => {
			const problem = problemOf(credential, detail) ?? ofContent(detail);
			return problem === undefined ? [] : [[detail, problem]];
		}),
	);
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
	const why = values.length > 0 ? (found?.choose ?? SEVERAL) : lookAt(detail);
	const otherwise = values.length > 0 ? 'choose' : 'look up';
	return { choices: values, why, isReal: false, otherwise, note, foundAt };
}

const NAMED = 'The OpenAPI document names it.';
const SEVERAL = 'The OpenAPI document names several: choose one.';

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
	problem?: string,
	trial?: Trial,
): SetupItem {
	const { label, group, emptyIf } = API_DETAILS[detail];
	const value = detailText(credential, detail);
	const verdict = verdictOn(detail, evidence, found);
	const { todo, why } = whatToDo(credential, detail, verdict, problem);
	const switchOf = group && DETAIL_GROUPS[group];
	const isOff = switchOf !== undefined && !credential[switchOf.switch];
	const isOptional = isOff && switchOf.unneeded !== undefined && todo !== 'nothing';
	const isLeftEmpty = todo === 'look up' && value === '' && emptyIf !== undefined;
	const isTyped = todo === 'enter' || todo === 'complete';
	const row = detail === 'valuesField' ? (verdict.row ?? trial?.row) : undefined;
	const { foundAt } = verdict;
	return {
		apiDetail: label,
		enter: isTyped ? (verdict.value ?? '') : '',
		...(isOptional
			? { why: `Not needed for what you use: ${switchOf.unneeded}.`, todo: 'optional' }
			: isLeftEmpty
				? { why: `Leave it empty if ${emptyIf}.`, todo: 'nothing' }
				: { why, todo }),
		choices: verdict.choices.slice(0, MOST_CHOICES).join(SEPARATOR),
		note: sentences(
			problem !== undefined && `Wrong now: ${asSentence(problem)}`,
			row !== undefined && `A row: ${row}.`,
			isOptional && !verdict.note?.startsWith(why) && why,
			verdict.note,
			foundAt.length > 0 && `In the OpenAPI document: ${foundAt.join(SEPARATOR)}`,
		),
		inCredential: withoutKey(credential, value),
		credentialField: detail,
		credentialSwitch: switchOf?.switch ?? '',
	};
}

const MOST_CHOICES = 12;
/** Between parts of a text: no view of the editor breaks lines. */
const SEPARATOR = ' | ';

const isResultDetail = (detail: ApiDetail) => RESULT_DETAILS.includes(detail);

function whatToDo(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	verdict: Verdict,
	problem: string | undefined,
): { todo: Todo; why: string } {
	const { value: right, why, isReal, otherwise } = verdict;
	const isEmpty = detailText(credential, detail) === '';
	if (right === undefined) {
		if (isEmpty) return { todo: isCovered(credential, detail) ? 'nothing' : otherwise, why };
		const isOpen = problem !== undefined || !isPossible(credential, detail, verdict);
		return isOpen ? { todo: otherwise, why } : { todo: 'nothing', why: FILLED_IN };
	}
	if (right === '') {
		if (isEmpty) return { todo: 'nothing', why };
		return { todo: 'empty', why: why.replace(/^Leave it empty/, 'Empty it') };
	}
	if (isSame(credential, detail, right))
		return { todo: 'nothing', why: `It is right: ${lowered(isReal ? why : NAMED)}` };
	const isTemplate = isToComplete(right);
	if (isTemplate && !isEmpty && problem === undefined) return { todo: 'nothing', why: FILLED_IN };
	return { todo: isTemplate ? 'complete' : 'enter', why };
}

const FILLED_IN = 'It is filled in, but nothing that was read tells whether it is right.';

/** Whether what is filled in may be right, although nothing says so. */
function isPossible(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	{ choices, isReal }: Verdict,
): boolean {
	// The credential begins with this entry: nobody has chosen it yet.
	const isDefault = detail === 'documentIdField' && documentIdName(credential) === DOCUMENT_ID;
	if (isDefault && isReal && choices.length === 0) return false;
	if (isReal || choices.length === 0 || !API_DETAILS[detail].isOneValue) return true;
	return choices.some((choice) => isSame(credential, detail, choice));
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
			// A bare name leads to the same.
			return value === right || right.endsWith(`.${value}`);
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
		why,
		statuses.length > 0 && `Real documents have: ${statuses.join(', ')}.`,
		others.length > 0 && `The OpenAPI document does not declare ${others.join(', ')}.`,
		item.note,
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
		const rest = typed.length > 1 ? `; the last item has ${typed.length - 1} more` : '';
		return `Next: enter "${enter}" in '${apiDetail}' of the credential${rest}.`;
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
	problems: DetailProblems,
	operations: UsingOperation[],
	trial: Trial | undefined,
): SetupItem {
	const { ready, lacking } = operationsByReadiness(credential, problems, operations);
	const needed = items.filter(({ todo }) => TO_DO_NEXT.includes(todo));
	const optional = items.filter(({ todo, enter }) => todo === 'optional' && enter !== '');
	const entries = [
		...entriesOf(needed, credential),
		...(optional.length > 0 ? ['only if you want them:', ...entriesOf(optional, credential)] : []),
	];
	return {
		apiDetail: 'All Entries',
		enter: entries.join(SEPARATOR),
		why: 'Keep this text beside the credential window, which covers the output.',
		todo: 'nothing',
		choices: '',
		note: sentences(
			trial?.row !== undefined && `A row: ${trial.row}.`,
			`Works with what is filled in: ${ready.join('; ')}.`,
			lacking.length > 0 && `Does not work yet: ${lacking.join('; ')}.`,
		),
		inCredential: '',
		credentialField: '',
		credentialSwitch: '',
	};
}

/** The entries of some items, each switch that is off before the first of its fields. */
function entriesOf(items: SetupItem[], credential: DocumentExtractionCredential): string[] {
	const switches = new Set<string>();
	return items.flatMap(({ apiDetail, enter, todo, why, credentialField }) => {
		const { group } = API_DETAILS[credentialField as ApiDetail];
		const entry = enter || (todo === 'empty' ? '(empty)' : `(${todo}) ${asSentence(why)}`);
		const line = `${apiDetail}: ${entry}`;
		if (!group || switches.has(group) || credential[DETAIL_GROUPS[group].switch]) return [line];
		switches.add(group);
		return [`${DETAIL_GROUPS[group].label}: switch on`, line];
	});
}
