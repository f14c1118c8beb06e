/** Says of each API Detail what to enter or to choose, from what the sources propose. */
import { accountOf, PURPOSES, type Account } from '../account/account';
import {
	ALL_DETAILS,
	API_DETAILS,
	enteredText,
	labelsOf,
	SIGNED_DETAILS,
	whereToLook,
	type ApiDetail,
	type DetailValue,
} from '../account/apiDetails';
import { rowsText, type Rows } from '../account/rows';
import { asSentence, counted, sentences } from '../service/sentences';
import { withoutSecrets } from '../http/redact';
import { wordsOf } from '../messages/words';
import type { Evidence } from './evidence';
import { STATUS_DETAILS, type Proposal } from './findings';

/** What can be said of one decision. */
export interface SetupItem {
	apiDetail: string;
	/**
	 * What to enter; empty where nothing is, or the user has to choose. The first item has all lines to
	 * paste: n8n's table shows each entry of a list on a line of its own, and a text on one.
	 */
	enter: string | string[];
	/** Where several values are possible, the lines to choose from, the likeliest first. */
	choices: string[];
	/** What this rests on, or what to decide. */
	why: string;
	/** What is wrong with what the credential has, and what else there is to say. */
	note: string;
}

/** What is known of an API Detail. */
interface Known {
	detail: ApiDetail;
	label: string;
	/** Whether the credential has something for it, or its default counts. */
	isEntered: boolean;
	/** Why the entry cannot be right. */
	problem?: string;
	/** What speaks for the entry: a real read, or the API reference. */
	confirmation?: string;
	/** Whether that is an upload that has worked. */
	isProven: boolean;
	/** What a real read has shown that the user has to judge. */
	doubt?: string;
	/** The one value that the API reference allows, unless it is entered. */
	allowed?: Proposal;
	choices: string[];
	notes: string[];
	/** Whether something needs it that the user wants, and what to say of that. */
	need: { isNeeded: boolean; because?: string };
}

/** What to do about an API Detail. */
interface Advice extends Known {
	enter?: string;
	why: string;
	/** What the user has to do, if it is needed or recommended, and not only for those who want it. */
	todo?: 'enter' | 'choose' | 'find';
}

/**
 * Orders what the sources propose. Only what the API reference fixes is to be entered; everything else
 * is chosen. Something is wrong if it is malformed, if a real read with it failed, or if the API
 * reference allows only something else.
 * @param declared by the API reference
 * @returns first an item with all lines to paste, then Rows, what is open, and all others; and what works,
 * and what to do next
 */
export function setupFrom(
	{ credential }: Account,
	declared: Proposal[],
	{ proposals, failure }: Evidence,
): { items: SetupItem[]; summary: string } {
	const all = [...proposals, ...declared];
	const failures = all.filter(({ says }) => says === 'fails');
	const account = accountOf(
		credential,
		Object.fromEntries(failures.map(({ detail, why }) => [detail, why])),
	);
	const advice = ALL_DETAILS.map((detail) => adviceOn(knownOf(detail, account, all)));
	const open = advice.filter(({ todo }) => todo);
	const isProven = advice.some((one) => one.isProven);
	const readiness = readinessOf(account, isProven);
	const words = failure && wordsOf(failure);
	const unread =
		words && `Neither documents nor results could be read: ${asSentence(words.message)}`;
	const first: SetupItem = {
		apiDetail: 'All Entries',
		enter: linesToPaste(account, advice),
		choices: [],
		why: unread
			? 'Do what the hint above this output says, and execute this step again.'
			: howToPaste(open),
		note: unread ?? readiness.all,
	};
	const place = ({ detail, todo }: Advice) => (detail === 'rows' ? 0 : todo ? 1 : 2);
	const inOrder = advice.toSorted((one, other) => place(one) - place(other));
	return {
		items: [first, ...inOrder.map(itemOf)],
		summary: unread
			? sentences(unread, words?.description)
			: sentences(readiness.works, nextOf(open)),
	};
}

const itemOf = ({ label, enter = '', choices, why, notes }: Advice): SetupItem => ({
	apiDetail: label,
	enter,
	choices,
	why,
	note: sentences(...notes),
});

function knownOf(detail: ApiDetail, account: Account, proposals: Proposal[]): Known {
	const { credential } = account;
	const { label, field } = API_DETAILS[detail];
	const of = (...kinds: Array<Proposal['says']>) =>
		kinds.flatMap((says) => proposals.filter((one) => one.detail === detail && one.says === says));
	const use = account.details[detail];
	const isHeld = ({ value }: Proposal) => isSame(account, detail, value);
	const fixed = of('fixed');
	const confirmation = [...of('works'), ...fixed.filter(isHeld)].at(0)?.why;
	const possible = of('fixed', 'possible');
	// A default is nobody's choice yet, where the response to an upload has other fields.
	const isDefault = [field.default, ''].includes(enteredText(credential, detail));
	const isUndecided = isDefault && !confirmation && possible.length > 0 && !possible.some(isHeld);
	const allowed = confirmation ? undefined : fixed.at(0);
	const others = [...possible, ...of('elsewhere')].filter((one) => !isHeld(one));
	const choices = allowed ? [] : linesOf(detail, others);
	return {
		detail,
		label,
		isEntered: !('lacking' in use) && !isUndecided,
		problem: 'wrong' in use ? withoutSecrets(use.error.message, credential.apiKey) : undefined,
		confirmation,
		isProven: detail === 'uploadFileField' && of('works').length > 0,
		doubt: of('doubtful').at(0)?.why,
		allowed,
		choices,
		notes: of('note').map(({ why }) => asSentence(why)),
		need: needOf(detail, account, isUndecided || Boolean(allowed) || choices.length > 0),
	};
}

/** Whether the credential has this value, however the user has written it. */
function isSame({ details }: Account, detail: ApiDetail, value: string): boolean {
	const use = details[detail];
	if (!('ready' in use)) return false;
	const own = printed(use.ready);
	// A path may lead to the field that a bare name finds.
	return own === value || own.endsWith(`.${value}`);
}

/** What an entry is understood as, as proposals write it. */
function printed(entry: DetailValue<ApiDetail>): string {
	if (typeof entry === 'string') return entry;
	if (Array.isArray(entry)) return entry.join(', ');
	if ('places' in entry) return rowsText(entry as Rows);
	return 'path' in entry ? `${String(entry.method)} ${String(entry.path)}` : JSON.stringify(entry);
}

/** A line to add for each value, with what is said of it. Statuses belong into one line together. */
function linesOf(detail: ApiDetail, proposals: Proposal[]): string[] {
	const before = STATUS_DETAILS.includes(detail) ? '' : `${API_DETAILS[detail].label}: `;
	const lines = new Map<string, string>();
	for (const { value, why } of proposals) {
		if (!lines.has(value)) lines.set(value, `${before}${value}${why ? ` → ${why}` : ''}`);
	}
	return [...lines.values()];
}

function adviceOn(known: Known): Advice {
	switch (decisionOn(known)) {
		case 'wrong':
			return wrong(known);
		case 'filled in':
			return filledIn(known);
		case 'to enter':
			return toEnter(known);
		case 'to choose':
			return toChoose(known);
		case 'to find':
			return toFind(known);
	}
}

function decisionOn({ isEntered, problem, allowed, choices }: Known) {
	if (isEntered) return problem !== undefined || allowed ? 'wrong' : 'filled in';
	if (allowed) return 'to enter';
	return choices.length > 0 ? 'to choose' : 'to find';
}

function wrong(known: Known): Advice {
	const { detail, problem, allowed, choices, notes } = known;
	const note = problem === undefined ? '' : `Does not work now: ${asSentence(problem)}`;
	const entry = problem === undefined ? 'Probably wrong.' : "Does not work: see 'note'.";
	const otherwise = choices.length > 0 ? howToChoose(detail) : whereToLook(detail);
	return {
		...known,
		enter: allowed?.value,
		why: sentences(
			entry,
			allowed ? `The API reference allows only this. ${asSentence(allowed.why)}` : otherwise,
		),
		notes: [note, ...notes],
		todo: allowed ? 'enter' : choices.length > 0 ? 'choose' : 'find',
	};
}

function filledIn(known: Known): Advice {
	const { detail, confirmation, isProven, doubt, choices, notes } = known;
	if (detail === 'uploadFileField' && !isProven) {
		const first = 'The first upload shows whether your entry is right';
		return { ...known, why: sentences(confirmation && asSentence(confirmation), `${first}.`) };
	}
	if (confirmation) return { ...known, why: asSentence(confirmation) };
	if (detail === 'rows' && notes.length > 0) return { ...known, why: notes.join(' '), notes: [] };
	if (doubt)
		return { ...known, why: sentences(asSentence(doubt), howToChoose(detail)), todo: 'choose' };
	const others =
		"Change it only if it does not work, or if you know that one of the 'choices' is right.";
	return {
		...known,
		why: sentences(
			'Check Setup cannot tell whether your entry is right.',
			choices.length > 0 && others,
		),
	};
}

function toEnter(known: Known): Advice {
	const { allowed, need } = known;
	return {
		...known,
		enter: allowed?.value,
		why: sentences(need.because, allowed && asSentence(allowed.why)),
		todo: need.isNeeded ? 'enter' : undefined,
	};
}

function toChoose(known: Known): Advice {
	const { detail, need } = known;
	const why = sentences(need.because, howToChoose(detail));
	return { ...known, why, todo: need.isNeeded ? 'choose' : undefined };
}

function toFind(known: Known): Advice {
	const { detail, need, notes } = known;
	const how = detail === 'rows' ? notes.join(' ') : whereToLook(detail);
	const why = sentences(need.because, how, detail === 'uploadFileField' && ASK_THE_SERVICE);
	return {
		...known,
		why,
		notes: detail === 'rows' ? [] : notes,
		todo: need.isNeeded ? 'find' : undefined,
	};
}

const ASK_THE_SERVICE =
	"If you cannot find it, enter any word, e.g. 'Upload File Field: file', and run Extraction › Extract From Files: if the service refuses the file, the message names the field that it asks for.";

/** What to do where several values are possible. */
function howToChoose(detail: ApiDetail): string {
	if (detail === 'rows')
		return "Add the line from 'choices' that shows your columns with the right values.";
	if (detail === 'documentIdField')
		return "Add the line from 'choices' that shows the document's ID.";
	if (STATUS_DETAILS.includes(detail)) {
		const { label } = API_DETAILS[detail];
		const which =
			detail === 'finishedStatuses' ? 'is over, whether it succeeded or failed' : 'failed';
		return `Optional. Add a line '${label}: …' with every status from 'choices' (left of the arrow) that means that the extraction ${which}, separated by commas.`;
	}
	return `Add a line from 'choices'. ${whereToLook(detail)}`;
}

/**
 * Whether an API Detail that is empty should be filled in, and why, or what it is for otherwise.
 * @param isFound whether there is something to enter or to choose
 */
function needOf(detail: ApiDetail, account: Account, isFound: boolean): Known['need'] {
	const { credential } = account;
	const { recommendedBecause, replacedBy, emptyIf } = API_DETAILS[detail];
	if (recommendedBecause) {
		return { isNeeded: isFound, because: `Recommended: ${recommendedBecause}.` };
	}
	if (replacedBy && enteredText(credential, replacedBy)) {
		const because = `Optional: '${API_DETAILS[replacedBy].label}' is usually enough.`;
		return { isNeeded: false, because };
	}
	const isSigned = SIGNED_DETAILS.includes(detail);
	if (isSigned && SIGNED_DETAILS.every((other) => !enteredText(credential, other))) {
		return { isNeeded: false, because: 'Optional: needed only for signed uploads.' };
	}
	const isNeeded = Object.values(PURPOSES).some(({ use }) => {
		const needed = use(account);
		return 'lacking' in needed && needed.lacking.includes(detail);
	});
	return { isNeeded, because: emptyIf && `Leave it empty if ${emptyIf}.` };
}

/** The credential's own lines, as they are, with those that the API reference fixes. */
function linesToPaste({ credential }: Account, advice: Advice[]): string[] {
	const valueOf = ({ detail, enter, todo }: Advice) =>
		(todo === 'enter' && enter) || enteredText(credential, detail);
	const lines = advice.flatMap((one) => {
		const value = valueOf(one);
		return value ? [`${one.label}: ${value}`] : [];
	});
	return lines.map((line) => withoutSecrets(line, credential.apiKey));
}

const ASK =
	"Unless 'OpenAPI Document' is filled in, Check Setup looks for openapi.json on the host of 'Base URL'. If the OpenAPI document of your API is at another address on that host, enter the address in 'OpenAPI Document'. If it is on another host, paste it into that field, as JSON. Then execute this step again. For what you cannot find, ask your account team: there is an email to copy at https://github.com/n8n-nodes-document-extraction/n8n-nodes-document-extraction/blob/main/docs/api-details.md#ask-your-account-team";

function howToPaste(open: Advice[]): string {
	const isOpen = (todo: Advice['todo']) => open.some((one) => one.todo === todo);
	if (open.length === 0) return 'Nothing needs to be entered, as far as Check Setup can tell.';
	return sentences(
		isOpen('enter') &&
			"Copy all lines of 'enter' into 'API Details' in the credential, in place of what is there.",
		isOpen('choose') && "Add a line from 'choices' of each item below that says so.",
		isOpen('find') &&
			`Look up: ${labelsOf(
				open.filter(({ todo }) => todo === 'find').map(({ detail }) => detail),
				', ',
			)} (see the items below).`,
	);
}

/** The next thing to do. */
function nextOf(open: Advice[]): string {
	const steps = (['enter', 'choose', 'find'] as const).flatMap((wanted) => {
		const { length } = open.filter(({ todo }) => todo === wanted);
		return length > 0 ? [`${wanted} ${counted(length, 'value')}`] : [];
	});
	return steps.length > 0
		? sentences(
				`Next: ${steps.join(', ')}. See the first item, 'All Entries'.`,
				open.some(({ todo, detail }) => todo === 'find' && detail !== 'rows') && ASK,
			)
		: 'Nothing else is required, as far as Check Setup can tell. For signed uploads, see the items about them below.';
}

/** The purposes of which only an upload shows whether they work. */
const DIRECT_UPLOADS = new Set(['extractFromFiles', 'directUpload']);

/** Which purposes of API Details are served with what is filled in, and what the others lack. */
function readinessOf(account: Account, isProven: boolean) {
	const works: string[] = [];
	const unproven: string[] = [];
	const lacking: string[] = [];
	for (const [purpose, { label, use }] of Object.entries(PURPOSES)) {
		const of = use(account);
		if ('wrong' in of) lacking.push(`${label} (correct ${labelsOf([of.wrong], ', ')})`);
		else if ('lacking' in of) lacking.push(`${label} (needs ${labelsOf(of.lacking, ', ')})`);
		else if (!isProven && DIRECT_UPLOADS.has(purpose)) unproven.push(label);
		else works.push(label);
	}
	const worksNow = works.length > 0 && `The credential is filled in for: ${works.join(', ')}.`;
	const nothing = 'The credential is not yet filled in for anything that needs API Details.';
	const firstUpload =
		unproven.length > 0 &&
		`The first upload will show whether it is right for: ${unproven.join(', ')}.`;
	const doesNot = lacking.length > 0 && `Not yet for: ${lacking.join('; ')}.`;
	const said = sentences(worksNow, firstUpload) || nothing;
	return { works: said, all: sentences(said, doesNot) };
}
