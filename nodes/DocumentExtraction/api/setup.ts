/** Says of each API Detail what to do, from the account's own responses and its API reference. */
import { parsedJson } from '../http/json';
import { redact, withoutSecrets } from '../http/redact';
import type { Client } from './client';
import type { DocumentExtractionCredential } from './credential';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
	detailText,
	detailValue,
	hasDetail,
	labelsOf,
	problemOf,
	PURPOSES,
	whereToLook,
	type ApiDetail,
	type Purpose,
} from './details/apiDetails';
import { fingerprintOf, isObject, levelsOf } from './details/fields';
import { unquoted } from './details/parse';
import { COMPLETE, isIncomplete } from './details/openApi/bodies';
import { findDetails, type Found } from './details/openApi/findings';
import { otherServer, type OpenApiDocument } from './details/openApi/reference';
import { readEvidence, type Evidence, type Sighting } from './evidence';
import { asSentence, fewOf, sentences } from './run';

/**
 * What to do about an API Detail. `complete`: enter the template and replace its texts in angle brackets.
 * `recommended`, `optional`: only if the user wants what it is for. `copy`: only in the item with all
 * entries.
 */
type Todo =
	| 'enter'
	| 'complete'
	| 'choose'
	| 'empty'
	| 'look up'
	| 'recommended'
	| 'optional'
	| 'nothing'
	| 'copy';

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
	/** First one with all entries, then one for each API Detail in the order in which users need them. */
	items: SetupItem[];
	/** What works, and what to do next. */
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
	const { evidence, sightings, row, isRowWrong, failure } = await readEvidence(client, uploads);
	const items: SetupItem[] = [];
	/** What keeps operations from working although it is filled in, or makes rows wrong by being empty. */
	const wrong = new Set<ApiDetail>();
	/** Those of which the OpenAPI document says the same as real responses, and something else. */
	const agreed: ApiDetail[] = [];
	const disputed: ApiDetail[] = [];
	for (const detail of ALL_DETAILS) {
		const problem =
			malformation(credential, detail, evidence[detail]) ??
			contradiction(credential, detail, evidence[detail]) ??
			sightings[detail]?.problem;
		const found = findings?.[detail] ?? { found: [] };
		const real = evidence[detail]?.value;
		const dispute = real ? disagreement({ credential, detail }, real, valuesOf(found)) : undefined;
		const known: Known = {
			credential,
			detail,
			problem,
			evidence: evidence[detail],
			sighting: sightings[detail],
			found,
			dispute,
		};
		// Of an endpoint, responses show only that what is entered works.
		if (detail !== 'workflowEndpoint' && real && found.found.length > 0) {
			(dispute === undefined ? agreed : disputed).push(detail);
		}
		const { shownWith, neededFor = [], usedFor = [] } = API_DETAILS[detail];
		// The table has a field after the one that it is shown with.
		const shownBy = items.find(({ credentialField }) => credentialField === shownWith);
		const item = itemFor(known, shownBy);
		items.push(item);
		const isPartOfWrongRow = isRowWrong && [...neededFor, ...usedFor].includes('simplify');
		// Even if only the API reference says so.
		const isToChange =
			['enter', 'empty', 'complete'].includes(item.todo) &&
			!evidence[detail]?.mayWork &&
			(hasDetail(credential, detail) || isPartOfWrongRow);
		if (problem !== undefined || isToChange) wrong.add(detail);
	}
	const isNothingFound = ALL_DETAILS.every((detail) => !findings?.[detail].found.length);
	const nothingRead =
		failure && `Neither documents nor results could be read: ${asSentence(failure.message)}`;
	const readiness = nothingRead ?? readinessText(credential, wrong, operations);
	return {
		items: [allEntries(items, credential, readiness, row), ...items],
		summary: nothingRead
			? sentences(nothingRead, (failure as { description?: string }).description)
			: sentences(
					worksNow(credential, wrong),
					document &&
						doubtAbout(document, address, agreed.length > 0 ? [] : disputed, isNothingFound),
					nextOf(items),
				),
	};
}

/** Asks whether the OpenAPI document is that of another account; undefined where nothing says so. */
function doubtAbout(
	document: OpenApiDocument,
	address: string,
	disputed: ApiDetail[],
	isNothingFound: boolean,
): string | undefined {
	const other = otherServer(document, address);
	if (other) return `The OpenAPI document is for ${other}: is that your account?`;
	if (disputed.length > 0) {
		return `The OpenAPI document does not fit real responses (${labelsOf(disputed, ', ')}): is it that of your account?`;
	}
	return isNothingFound
		? 'The OpenAPI document names nothing to enter: is it that of your account?'
		: undefined;
}

/** What is wrong with an API Detail as it is filled in; real responses tell which of a malformed pair is right. */
function malformation(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	evidence: Evidence | undefined,
): string | undefined {
	const isRight = evidence?.value === unquoted(detailText(credential, detail));
	return isRight ? undefined : problemOf(credential, detail);
}

/** How real responses contradict an API Detail; undefined where it is what they show. */
function contradiction(
	credential: DocumentExtractionCredential,
	detail: ApiDetail,
	evidence: Evidence | undefined,
): string | undefined {
	if (!evidence) return undefined;
	const { value, problem } = evidence;
	return value !== undefined && isSame({ credential, detail }, value) ? undefined : problem;
}

/** All that is known of an API Detail. */
interface Known {
	credential: DocumentExtractionCredential;
	detail: ApiDetail;
	problem?: string;
	/** From real responses. */
	evidence?: Evidence;
	sighting?: Sighting;
	/** In the OpenAPI document; nothing without one. */
	found: Found;
	/** How the OpenAPI document contradicts real responses. */
	dispute?: string;
}

/** What an API Detail should be, as far as anything tells. */
interface Verdict extends Evidence {
	/** Whether real responses say so, and not the API reference alone. */
	isReal: boolean;
	/** What to do where no single value is right. */
	otherwise: 'choose' | 'look up';
	note?: string;
}

function verdictOn(known: Known): Verdict {
	const { detail, evidence, sighting, found, dispute } = known;
	const { note } = found;
	const declared = valuesOf(found);
	if (evidence?.value !== undefined) {
		return { ...evidence, isReal: true, otherwise: 'choose', note: dispute };
	}
	if (evidence && (!evidence.isUnseen || declared.length === 0)) {
		if (evidence.choices.length > 0) {
			return { ...evidence, isReal: true, otherwise: 'choose', note };
		}
		// Once there is a result, it says more than what the API reference lists.
		return { ...evidence, choices: declared, isReal: true, otherwise: 'look up', note };
	}
	if (sighting && sighting.values.length > 0) {
		const choices = [...new Set([...declared, ...sighting.values])];
		return { choices, why: sighting.choose, isReal: false, otherwise: 'choose', note };
	}
	if (declared.length === 1) {
		const [value] = declared;
		const why = found.check ?? (isIncomplete(value) ? COMPLETE : NAMED);
		return { value, choices: [], why, isReal: false, otherwise: 'choose', note };
	}
	return declared.length > 0
		? { choices: declared, why: found.choose ?? SEVERAL, isReal: false, otherwise: 'choose', note }
		: { choices: [], why: whereToLook(detail), isReal: false, otherwise: 'look up', note };
}

const valuesOf = ({ found }: Found) => found.map(({ value }) => value);

const NAMED = 'The OpenAPI document names it.';
const SEVERAL = 'The OpenAPI document names several: choose one.';

/** Real responses win; the user learns that the reference says something else. */
function disagreement(
	{ credential, detail }: Pick<Known, 'credential' | 'detail'>,
	value: string,
	declared: string[],
): string | undefined {
	if (declared.length === 0) return undefined;
	const entered = { detail, credential: { ...credential, [detail]: value } };
	const isDeclared = declared.some((path) => path.endsWith(`.${value}`) || isSame(entered, path));
	if (isDeclared) return undefined;
	return `The OpenAPI document does not declare it, but real responses have it. The document has: ${declared.slice(0, 5).join(', ')}.`;
}

/** @param shownBy the item of the API Detail without which this one has no use, if there is one */
function itemFor(known: Known, shownBy: SetupItem | undefined): SetupItem {
	const { credential, detail, problem, sighting, found } = known;
	const { label, group, emptyIf, recommendedBecause, replacedBy } = API_DETAILS[detail];
	const entered = detailText(credential, detail);
	const verdict = verdictOn(known);
	const { todo, why } = whatToDo(known, verdict);
	const switchOf = group && DETAIL_GROUPS[group];
	const isOff = switchOf !== undefined && !credential[switchOf.switch];
	const isReplaced = replacedBy && hasDetail(credential, replacedBy);
	const replaced = isReplaced ? `'${API_DETAILS[replacedBy].label}' is enough` : undefined;
	const unneeded = isOff ? switchOf.unneeded : replaced;
	const isEmpty = entered === '';
	const isHidden = isEmpty && shownBy !== undefined && staysEmpty(shownBy);
	const isUnfilled = isEmpty && todo !== 'nothing';
	const isRecommended = isUnfilled && recommendedBecause !== undefined;
	const isOptional = isUnfilled && !isRecommended && unneeded !== undefined;
	const isLeftEmpty = isEmpty && todo === 'look up' && emptyIf !== undefined;
	const told = (): Pick<SetupItem, 'why' | 'todo'> => {
		if (isHidden) {
			const without = `it has no use without '${shownBy.apiDetail}'`;
			return { why: `Leave it empty: ${without}.`, todo: 'nothing' };
		}
		if (isOptional) return { why: `Not needed for what you use: ${unneeded}.`, todo: 'optional' };
		if (isLeftEmpty) return { why: `Leave it empty if ${emptyIf}.`, todo: 'nothing' };
		if (isRecommended) {
			const reason = `Recommended: ${recommendedBecause}.`;
			return { why: sentences(reason, found.check), todo: 'recommended' };
		}
		return { why, todo };
	};
	const isSkippable = isRecommended || isOptional;
	const isToEnter = isSkippable || ['enter', 'complete', 'choose'].includes(todo);
	const choices = verdict.choices.slice(0, MOST_CHOICES);
	return {
		apiDetail: label,
		enter: todo === 'enter' || todo === 'complete' ? (verdict.value ?? '') : '',
		...told(),
		choices: choices.join(SEPARATOR),
		note: sentences(
			sighting && sightingNote(sighting, valuesOf(found)),
			problem !== undefined && `Wrong now: ${asSentence(problem)}`,
			verdict.row !== undefined && `A row: ${verdict.row}.`,
			isSkippable && why !== found.check && !verdict.note?.startsWith(why) && why,
			verdict.note,
			isToEnter &&
				found.found.length > 0 &&
				// Only the first place: all of them would make the rows tall.
				`In the OpenAPI document: ${fewOf(
					found.found.map(({ at }) => at),
					1,
				)}`,
		),
		// A command may have been pasted whole.
		inCredential: withoutSecrets(entered, credential.apiKey),
		credentialField: detail,
		credentialSwitch: switchOf?.switch ?? '',
	};
}

const staysEmpty = ({ todo, inCredential }: SetupItem) =>
	todo === 'empty' || (todo === 'nothing' && inCredential === '');

/** What real documents have, and what of it the OpenAPI document lacks. */
function sightingNote({ values, why }: Sighting, declared: string[]): string {
	const others = values.filter((value) => !declared.includes(value));
	return sentences(
		why,
		values.length > 0 && `Real documents have: ${values.join(', ')}.`,
		declared.length > 0 &&
			others.length > 0 &&
			`The OpenAPI document does not declare ${others.join(', ')}.`,
	);
}

const MOST_CHOICES = 12;
/** Between parts of a text: no view of the editor breaks lines. */
const SEPARATOR = ' | ';

function whatToDo(known: Known, verdict: Verdict): { todo: Todo; why: string } {
	const { credential, detail, problem, sighting } = known;
	const { value: right, why, isReal, mayStayEmpty, otherwise } = verdict;
	const isEmpty = !hasDetail(credential, detail);
	const isWellFormed = !isEmpty && problem === undefined;
	if (right === undefined) {
		if (isWellFormed && isPossible(known, verdict)) {
			return { todo: 'nothing', why: sighting?.confirmation ?? FILLED_IN };
		}
		return { todo: isEmpty && mayStayEmpty ? 'nothing' : otherwise, why };
	}
	if (right === '') {
		if (isEmpty) return { todo: 'nothing', why };
		return { todo: 'empty', why: why.replace(/^Leave it empty/, 'Empty it') };
	}
	if (isIncomplete(right)) {
		if (!isWellFormed) return { todo: 'complete', why };
		const undeclared = undeclaredNames(detailText(credential, detail), right);
		return undeclared.length > 0
			? {
					todo: 'complete',
					why: `The OpenAPI document does not declare ${fewOf(undeclared)}: correct or remove what is wrong.`,
				}
			: { todo: 'nothing', why: FILLED_IN };
	}
	if (!isSame(known, right)) return { todo: 'enter', why };
	if (problem !== undefined) return { todo: 'look up', why: whereToLook(detail) };
	return { todo: 'nothing', why: `It is right: ${lowered(isReal ? why : NAMED)}` };
}

/** The properties of a JSON body that another does not declare; none where it leaves any open. */
function undeclaredNames(body: string, declaring: string): string[] {
	if (/"<[^"]*(?:object|any|array)/.test(declaring)) return [];
	const [own, declared] = [body, declaring].map((json) =>
		[...levelsOf(parsedJson(json))].flat().filter(isObject).flatMap(Object.keys),
	);
	return own.filter((name) => !declared.includes(name)).map((name) => `'${redact(name)}'`);
}

const FILLED_IN = 'It is filled in, but nothing that was read tells whether it is right.';

/** Whether what is filled in may be right, although nothing says so. */
function isPossible(known: Known, { choices, isReal }: Verdict): boolean {
	const { field, isOneValue } = API_DETAILS[known.detail];
	// A default is nobody's choice yet.
	const isDefault = detailText(known.credential, known.detail) === field.default;
	if (choices.length === 0) return !(isDefault && isReal);
	return isReal || !isOneValue || choices.some((choice) => isSame(known, choice));
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Whether the credential says the same, maybe in another spelling. */
function isSame(
	{ credential, detail }: Pick<Known, 'credential' | 'detail'>,
	right: string,
): boolean {
	if (detailText(credential, detail) === right) return true;
	const other = { ...credential, [detail]: right };
	if ([credential, other].some((one) => problemOf(one, detail) !== undefined)) return false;
	const [own, wanted] = [credential, other].map((one) => fingerprintOf(detailValue(one, detail)));
	if (own === wanted) return true;
	// A bare name leads to the same.
	return !API_DETAILS[detail].isExact && right.endsWith(`.${detailText(credential, detail)}`);
}

const MOST_UNCHECKED = 3;

const isOpen = ({ todo }: SetupItem) => !['nothing', 'recommended', 'optional'].includes(todo);

/** The next thing to do: what can be typed at once comes first. */
function nextOf(items: SetupItem[]): string {
	const open = items.filter(isOpen);
	const typed = open.filter(({ todo }) => todo === 'enter');
	const [next] = [...typed, ...open];
	if (!next) {
		const better = items.find(({ todo, enter }) => todo === 'recommended' && enter !== '');
		const unchecked = items.filter(({ why }) => why === FILLED_IN);
		const labels = unchecked.map(({ apiDetail }) => `'${apiDetail}'`);
		return sentences(
			'Next: nothing. All that you use is set up.',
			labels.length > 0 && `Not checked: ${fewOf(labels, MOST_UNCHECKED)}.`,
			better && `Recommended: '${better.apiDetail}'.`,
		);
	}
	const { apiDetail, enter, todo, why } = next;
	switch (todo) {
		case 'enter':
			return typed.length === 1
				? `Next: enter "${enter}" in '${apiDetail}' of the credential.`
				: `Next: enter the ${typed.length} values of the first item, All Entries, in the credential.`;
		case 'choose':
			return `Next: choose '${apiDetail}' from its 'choices'.`;
		case 'empty':
			return `Next: empty '${apiDetail}' in the credential.`;
		default:
			return `Next: '${apiDetail}'. ${why}`;
	}
}

const groupOf = ({ credentialField }: SetupItem) => API_DETAILS[credentialField as ApiDetail].group;

/** All entries as one text, to be kept beside the credential window, which covers the output. */
function allEntries(
	items: SetupItem[],
	credential: DocumentExtractionCredential,
	readiness: string,
	row: string | undefined,
): SetupItem {
	const found = (wanted: Todo) =>
		items.filter(({ todo, enter }) => todo === wanted && enter !== '');
	const needed = items.filter(isOpen);
	const recommended = found('recommended');
	const isEnough = needed.length + recommended.length > 0;
	const entries = entryLines(credential, [
		['', needed],
		['recommended:', recommended],
		[`${isEnough ? 'that is all you need; ' : ''}only if you want them:`, found('optional')],
	]);
	return {
		apiDetail: 'All Entries',
		enter: entries.join(SEPARATOR),
		why:
			entries.length > 0
				? 'Copy this text and keep it beside the credential window, which covers the output.'
				: 'There is nothing to enter.',
		todo: entries.length > 0 ? 'copy' : 'nothing',
		choices: '',
		note: sentences(row !== undefined && `A row: ${row}.`, readiness),
		inCredential: '',
		credentialField: '',
		credentialSwitch: '',
	};
}

/** The entries under each title, and each switch that is off before the first of its fields. */
function entryLines(
	credential: DocumentExtractionCredential,
	sections: Array<[title: string, items: SetupItem[]]>,
): string[] {
	const switches = new Set<string>();
	const linesOf = (item: SetupItem) => {
		const { apiDetail, enter, todo, why } = item;
		const group = groupOf(item);
		const entry = enter || (todo === 'empty' ? '(empty)' : `(${todo}) ${asSentence(why)}`);
		const line = `${apiDetail}: ${entry}`;
		if (!group || switches.has(group) || credential[DETAIL_GROUPS[group].switch]) return [line];
		switches.add(group);
		return [`${DETAIL_GROUPS[group].label}: switch on`, line];
	};
	return sections.flatMap(([title, items]) => {
		const lines = items.flatMap(linesOf);
		return title && lines.length > 0 ? [title, ...lines] : lines;
	});
}

/** Which operations run with what is filled in, and what the others lack. */
function readinessText(
	credential: DocumentExtractionCredential,
	wrong: Set<ApiDetail>,
	operations: UsingOperation[],
): string {
	const ready: string[] = [];
	const lacking: string[] = [];
	const add = (name: string, reasons: string[] = []) => {
		if (reasons.length === 0) ready.push(name);
		else lacking.push(`${name} (${reasons.join(', ')})`);
	};
	const purposes = new Set<Purpose>();
	for (const operation of operations) {
		if (operation.uses.length === 0) add(nameAmong(operations, operation));
		for (const purpose of operation.uses) {
			if (purposes.has(purpose)) continue;
			purposes.add(purpose);
			add(nameOfUsers(purpose, operations), reasonsAgainst(credential, purpose, wrong));
		}
	}
	add('Simplify', reasonsAgainst(credential, 'simplify', wrong));
	return sentences(
		`Works with what is filled in: ${ready.join('; ')}.`,
		lacking.length > 0 && `Does not work yet: ${lacking.join('; ')}.`,
	);
}

/** One sentence: which of the main purposes work with what is filled in. */
function worksNow(credential: DocumentExtractionCredential, wrong: Set<ApiDetail>): string {
	const titles = (Object.keys(PURPOSES) as Purpose[]).flatMap((purpose) => {
		const { title } = PURPOSES[purpose];
		return title && reasonsAgainst(credential, purpose, wrong).length === 0 ? [title] : [];
	});
	return titles.length > 0
		? `Works now: ${titles.join(', ')}.`
		: 'Works now: only what needs no API Detail, such as Extraction › Get Many.';
}

/** The operations that use API Details for a purpose. */
function nameOfUsers(purpose: Purpose, operations: UsingOperation[]): string {
	const { way, alsoFor } = PURPOSES[purpose];
	const names = operations
		.filter(({ uses }) => uses.includes(purpose))
		.map((operation) => nameAmong(operations, operation));
	if (alsoFor) return [...names, alsoFor].join(', ');
	return `${names.join(' and ')}${way ? `, ${way}` : ''}`;
}

/** Preceded by its resource where another operation's name contains its own: Confirm Upload contains Upload. */
function nameAmong(all: UsingOperation[], { resource, name }: UsingOperation): string {
	const isClear = all.filter((other) => other.name.includes(name)).length === 1;
	return isClear ? name : `${resource[0].toUpperCase()}${resource.slice(1)} › ${name}`;
}

function reasonsAgainst(
	credential: DocumentExtractionCredential,
	purpose: Purpose,
	wrong: Set<ApiDetail>,
): string[] {
	const { isOneEnough } = PURPOSES[purpose];
	const needed = ALL_DETAILS.filter((detail) => API_DETAILS[detail].neededFor?.includes(purpose));
	// What would replace another API Detail has no use while that one is filled in.
	const isIdle = (detail: ApiDetail) =>
		ALL_DETAILS.some(
			(other) =>
				API_DETAILS[other].replacedBy === detail &&
				hasDetail(credential, other) &&
				!wrong.has(other),
		);
	const used = ALL_DETAILS.filter(
		(detail) => API_DETAILS[detail].usedFor?.includes(purpose) && !isIdle(detail),
	);
	const empty = needed.filter((detail) => !hasDetail(credential, detail));
	const lacking = isOneEnough && empty.length < needed.length ? [] : empty;
	const toCorrect = [...needed, ...used].filter((detail) => wrong.has(detail));
	return [
		...(lacking.length > 0 ? [`needs ${labelsOf(lacking, isOneEnough ? ' or ' : ', ')}`] : []),
		...(toCorrect.length > 0 ? [`correct ${labelsOf(toCorrect, ', ')}`] : []),
	];
}
