/** Says of each API Detail what to do, from the account's own responses and its API reference. */
import type { Client } from './client';
import type { DocumentExtractionCredential } from './credential';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
	detailText,
	detailValue,
	hasDetail,
	problemOf,
	PURPOSES,
	type ApiDetail,
	type Purpose,
} from './details/apiDetails';
import { fingerprintOf } from './details/fields';
import { COMPLETE } from './details/openApi/bodies';
import { findDetails, type Found } from './details/openApi/findings';
import type { OpenApiDocument } from './details/openApi/reference';
import { readEvidence, type AllEvidence, type Evidence, type Sighting } from './evidence';
import { asSentence, sentences } from './run';

/**
 * What is to be done about an API Detail. `complete`: a template whose texts in angle brackets are to
 * be replaced. `optional`: any of these, if the user wants what it is for.
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

/** What Check Setup knows of an operation. */
interface UsingOperation {
	resource: string;
	/** In the panel. */
	name: string;
	/** What it uses API Details for, one for each way in which it can be used. */
	uses: Purpose[];
}

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
	const account = { baseUrl: address, workflowId };
	const findings = document && findDetails(API_DETAILS, document, account);
	const { evidence, sightings, row } = await readEvidence(client, uploads);
	const problems = problemsOf(credential, evidence);
	const items = ALL_DETAILS.map((detail) => {
		const found = findings?.[detail];
		const item = itemFor(credential, detail, evidence[detail], found, problems[detail]);
		const seen = sightings[detail];
		return seen ? withSighting(item, seen, found) : item;
	});
	return {
		items: [...items, allEntries(items, credential, problems, operations, row)],
		summary: `${worksNow(credential, problems)} ${nextOf(items)}`,
	};
}

/** What is wrong with API Details that are filled in. */
type DetailProblems = { [detail in ApiDetail]?: string };

/** What is wrong with what is filled in: its form, or that real responses contradict it. */
function problemsOf(
	credential: DocumentExtractionCredential,
	evidence: AllEvidence['evidence'],
): DetailProblems {
	return Object.fromEntries(
		ALL_DETAILS.flatMap((detail) => {
			const problem = problemOf(credential, detail) ?? evidence[detail]?.problem;
			return problem === undefined ? [] : [[detail, problem]];
		}),
	);
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
	if (evidence && !(evidence.isUnseen && values.length > 0)) {
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
	const { foundAt, row } = verdict;
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

function whatToDo(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	verdict: Verdict,
	problem: string | undefined,
): { todo: Todo; why: string } {
	const { value: right, why, isReal, isCovered, otherwise } = verdict;
	const isEmpty = detailText(credential, detail) === '';
	if (right === undefined) {
		if (isEmpty) return { todo: isCovered ? 'nothing' : otherwise, why };
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
	const { field, isOneValue } = API_DETAILS[detail];
	// Nobody has chosen yet what the credential begins with.
	const isDefault = detailText(credential, detail) === field.default;
	if (isDefault && isReal && choices.length === 0) return false;
	if (isReal || choices.length === 0 || !isOneValue) return true;
	return choices.some((choice) => isSame(credential, detail, choice));
}

const isToComplete = (text: string) => /"<[^"]*>"/.test(text);

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Whether the credential says the same, maybe in another spelling. */
function isSame(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	right: string,
): boolean {
	const other = { ...credential, [detail]: right };
	if ([credential, other].some((one) => problemOf(one, detail) !== undefined)) return false;
	const values = [credential, other].map((one) => detailValue(one, detail));
	if (fingerprintOf(values[0]) === fingerprintOf(values[1])) return true;
	// A bare name leads to the same.
	return !API_DETAILS[detail].isExact && right.endsWith(`.${detailText(credential, detail)}`);
}

/** A command may have been pasted whole. */
function withoutKey({ apiKey }: DocumentExtractionCredential, value: string): string {
	return value.replaceAll(apiKey, '***').replace(/Bearer\s+\S+/gi, 'Bearer ***');
}

/** An item with what real documents have besides what the OpenAPI document declares; the user has to choose. */
function withSighting(item: SetupItem, { values, why }: Sighting, found?: Found): SetupItem {
	const declared = found?.found.map(({ value }) => value) ?? [];
	const others = declared.length > 0 ? values.filter((value) => !declared.includes(value)) : [];
	return {
		...item,
		choices: [...new Set([...declared, ...values])].join(SEPARATOR),
		note: sentences(
			why,
			values.length > 0 && `Real documents have: ${values.join(', ')}.`,
			others.length > 0 && `The OpenAPI document does not declare ${others.join(', ')}.`,
			item.note,
		),
	};
}

const TO_DO_NEXT: Todo[] = ['enter', 'complete', 'choose', 'empty', 'look up'];

/** The one next thing to do. */
function nextOf(items: SetupItem[]): string {
	const open = items.filter(({ todo }) => TO_DO_NEXT.includes(todo));
	const [first] = open;
	if (!first) return 'Next: nothing. All that you use is set up.';
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
	row: string | undefined,
): SetupItem {
	const { ready, lacking } = operationsByReadiness(credential, problems, operations);
	const needed = items.filter(({ todo }) => TO_DO_NEXT.includes(todo));
	const optional = items.filter(({ todo, enter }) => todo === 'optional' && enter !== '');
	const entries = [
		...entryLines(needed, credential),
		...(optional.length > 0 ? ['only if you want them:', ...entryLines(optional, credential)] : []),
	];
	return {
		apiDetail: 'All Entries',
		enter: entries.join(SEPARATOR),
		why: 'Keep this text beside the credential window, which covers the output.',
		todo: 'nothing',
		choices: '',
		note: sentences(
			row !== undefined && `A row: ${row}.`,
			`Works with what is filled in: ${ready.join('; ')}.`,
			lacking.length > 0 && `Does not work yet: ${lacking.join('; ')}.`,
		),
		inCredential: '',
		credentialField: '',
		credentialSwitch: '',
	};
}

/** The entries of some items, each switch that is off before the first of its fields. */
function entryLines(items: SetupItem[], credential: DocumentExtractionCredential): string[] {
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

/** Which operations run with what is filled in, and what the others lack. */
function operationsByReadiness(
	credential: DocumentExtractionCredential,
	problems: DetailProblems,
	operations: UsingOperation[],
): { ready: string[]; lacking: string[] } {
	const ready: string[] = [];
	const lacking: string[] = [];
	for (const [name, purpose] of namedPurposes(operations)) {
		const reasons = purpose ? reasonsAgainst(credential, purpose, problems) : [];
		if (reasons.length === 0) ready.push(name);
		else lacking.push(`${name} (${reasons.join(', ')})`);
	}
	return { ready, lacking };
}

/** One sentence: which of the main purposes work with what is filled in. */
function worksNow(credential: DocumentExtractionCredential, problems: DetailProblems): string {
	const titles = (Object.keys(PURPOSES) as Purpose[]).flatMap((purpose) => {
		const { title } = PURPOSES[purpose];
		return title && reasonsAgainst(credential, purpose, problems).length === 0 ? [title] : [];
	});
	return titles.length > 0
		? `Works now: ${titles.join(', ')}.`
		: 'Works now: only what needs no API Detail, such as Extraction › Get Many.';
}

/** The purposes by the names of their operations; an operation that uses no API Detail has none. */
function namedPurposes(operations: UsingOperation[]): Array<[name: string, purpose?: Purpose]> {
	const sharedBy = new Map<Purpose | UsingOperation, string[]>();
	for (const operation of operations) {
		const { uses } = operation;
		for (const key of uses.length > 0 ? uses : [operation]) {
			sharedBy.set(key, [...(sharedBy.get(key) ?? []), nameAmong(operations, operation)]);
		}
	}
	const named = [...sharedBy].map(([key, names]): [string, Purpose?] => {
		if (typeof key !== 'string') return [names[0]];
		const { way, alsoFor } = PURPOSES[key];
		if (alsoFor) return [[...names, alsoFor].join(', '), key];
		return [`${names.join(' and ')}${way ? `, ${way}` : ''}`, key];
	});
	return [...named, ['Simplify', 'simplify']];
}

/** With its resource, unless its name alone tells it from all others: Upload is in Confirm Upload, too. */
function nameAmong(all: UsingOperation[], { resource, name }: UsingOperation): string {
	const isClear = all.filter((other) => other.name.includes(name)).length === 1;
	return isClear ? name : `${resource[0].toUpperCase()}${resource.slice(1)} › ${name}`;
}

function reasonsAgainst(
	credential: DocumentExtractionCredential,
	purpose: Purpose,
	problems: DetailProblems,
): string[] {
	const { isOneEnough } = PURPOSES[purpose];
	const needed = ALL_DETAILS.filter((detail) => API_DETAILS[detail].neededFor?.includes(purpose));
	const used = ALL_DETAILS.filter((detail) => API_DETAILS[detail].usedFor?.includes(purpose));
	const empty = needed.filter((detail) => !hasDetail(credential, detail));
	const lacking = isOneEnough && empty.length < needed.length ? [] : empty;
	const wrong = [...needed, ...used].filter((detail) => detail in problems);
	return [
		...(lacking.length > 0 ? [`needs ${labels(lacking, isOneEnough ? ' or ' : ', ')}`] : []),
		...(wrong.length > 0 ? [`correct ${labels(wrong, ', ')}`] : []),
	];
}

function labels(details: ApiDetail[], separator: string): string {
	return details.map((detail) => `'${API_DETAILS[detail].label}'`).join(separator);
}
