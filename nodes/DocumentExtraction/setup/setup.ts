/** Says of each API Detail what to enter or to choose, from what the sources propose. */
import type { IDataObject } from 'n8n-workflow';

import { accountOf, PURPOSES, type Account } from '../account/account';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAILS_LABEL,
	labelsOf,
	lineOf,
	whereToLook,
	type ApiDetail,
	type DetailValue,
} from '../account/apiDetails';
import { rowsText, type Rows } from '../account/rows';
import { asSentence, sentences, withoutSecrets } from '../http/redact';
import { wordsOf } from '../messages/words';
import type { Evidence } from './evidence';
import { STATUS_DETAILS, type Proposal } from './findings';

/** What the output says of one decision. */
export interface SetupItem {
	apiDetail: string;
	/** The value to enter; of the first item, all lines to paste, each of which n8n's table shows alone. */
	enter: string | string[];
	/** Where several values are possible, the lines to choose from, the likeliest first. */
	choices: string[];
	/** What this rests on, or what to decide. */
	why: string;
	/** What is wrong with the entry; of the first item, what the credential can be used for. */
	note: string;
}

/** What is known of an API Detail. */
interface Known {
	detail: ApiDetail;
	/** Whether it has a line, or its default counts. */
	isEntered: boolean;
	/** Why the entry cannot be right. */
	problem?: string;
	/** What speaks for the entry: a real read, or the API reference. */
	confirmation?: string;
	/** Whether a real read, or an upload, has worked with the entry. */
	isProven: boolean;
	/** What a real read has shown, for the user to judge. */
	doubt?: string;
	/** The one value that the API reference allows, unless it is entered. */
	allowed?: Proposal;
	/** Lines to choose from. */
	choices: string[];
	notes: string[];
	/** Whether something needs it that the user wants, and what to say of that. */
	isNeeded: boolean;
	because?: string;
}

/** What to do about an API Detail. */
interface Advice {
	/** What to enter. */
	enter?: string;
	/** Sentences, with or without a period. */
	why: Array<string | false | undefined>;
	/** What the user has to do; nothing where this is undefined. */
	todo?: 'enter' | 'choose' | 'find';
}

type Decision = Known & Advice;

/**
 * Orders what the sources propose. Only what the API reference fixes is to be entered; everything else
 * is chosen. An entry is wrong if it is malformed, if a real read with it failed, or if the API
 * reference allows only something else.
 * @param declared by the API reference
 * @returns first an item with all lines to paste, then Rows, what is open, and all others; and what works,
 * and what to do next
 */
export function setupFrom(
	{ credential }: Account,
	declared: Proposal[],
	{ proposals, failure }: Evidence,
): { items: IDataObject[]; summary: string } {
	const all = [...proposals, ...declared];
	const failures = all.filter(({ says }) => says === 'fails');
	const account = accountOf(
		credential,
		Object.fromEntries(failures.map(({ detail, why }) => [detail, why])),
	);
	const decisions = ALL_DETAILS.map((detail): Decision => {
		const known = knownOf(detail, account, all);
		return { ...known, ...adviceOn(known) };
	});
	const place = ({ detail, todo, notes }: Decision) => {
		// Where results name their document otherwise, rows depend on that.
		if (detail === 'documentIdField' && notes.length > 0) return 0;
		return detail === 'rows' ? 1 : todo ? 2 : 3;
	};
	const inOrder = decisions.toSorted((one, other) => place(one) - place(other));
	const open = inOrder.filter(({ todo }) => todo);
	const readiness = readinessOf(account, decisions);
	const words = failure && wordsOf(failure);
	const unread =
		words && `Neither documents nor results could be read: ${asSentence(words.message)}`;
	const first: SetupItem = {
		apiDetail: 'All Entries',
		enter: linesToPaste(account, decisions),
		choices: [],
		why: unread ? 'Do what the hint above says, and execute this step again.' : nextOf(open),
		note: unread ?? readiness.all,
	};
	return {
		items: [first, ...inOrder.map(itemOf)].map(withoutBlanks),
		summary: unread
			? sentences(unread, words?.description)
			: sentences(readiness.works, nextOf(open)),
	};
}

const itemOf = ({ detail, problem, enter = '', choices, why, notes }: Decision): SetupItem => ({
	apiDetail: API_DETAILS[detail].label,
	enter,
	choices,
	why: joined([...why, ...notes]),
	note: joined([problem && `Does not work now: ${problem}`]),
});

/** n8n's table shows what is empty, and a field that only other items have, in red. */
const NOTHING = '–';

/** Every item has the same fields, as n8n's Schema view shows one item filled up from the others. */
function withoutBlanks(item: SetupItem): IDataObject {
	const said = Object.entries<string | string[]>({ ...item });
	return Object.fromEntries(said.map(([field, text]) => [field, text.length > 0 ? text : NOTHING]));
}

const joined = (parts: Advice['why']) =>
	sentences(...parts.map((part) => part && asSentence(part)));

function knownOf(detail: ApiDetail, account: Account, proposals: Proposal[]): Known {
	const of = (...kinds: Array<Proposal['says']>) =>
		kinds.flatMap((says) => proposals.filter((one) => one.detail === detail && one.says === says));
	const use = account.details[detail];
	const own = 'ready' in use ? printed(use.ready) : undefined;
	// A path may lead to the field that a bare name finds.
	const isOwn = ({ value }: Proposal) =>
		own === value || (detail === 'documentIdField' && own?.endsWith(`.${value}`));
	const fixed = of('fixed');
	const confirmation = [...of('works'), ...fixed.filter(isOwn)].at(0)?.why;
	const possible = of('fixed', 'possible');
	// A default is nobody's choice yet, where the response to an upload has other fields.
	const { default: otherwise } = API_DETAILS[detail];
	const isUndecided =
		otherwise !== undefined &&
		[undefined, otherwise].includes(account.entered[detail]) &&
		(possible.length > 0 || of('fails').length > 0) &&
		!confirmation &&
		!possible.some(isOwn);
	const allowed = confirmation ? undefined : fixed.at(0);
	const others = [...possible, ...of('elsewhere')].filter((one) => !isOwn(one));
	const choices = allowed ? [] : linesFor(detail, others);
	const need = needOf(detail, account, choices.length > 0 || allowed !== undefined);
	return {
		detail,
		isEntered: !('lacking' in use) && !isUndecided,
		problem: 'wrong' in use ? withoutSecrets(use.error.message, account.apiKey) : undefined,
		confirmation,
		isProven: of('works').length > 0,
		doubt: of('doubtful').at(0)?.why,
		allowed,
		choices,
		notes: of('note').map(({ why }) => why),
		...need,
		isNeeded: need.isNeeded || isUndecided,
	};
}

/** What an entry is understood as, written as proposals are. */
function printed(entry: DetailValue<ApiDetail>): string {
	if (typeof entry === 'string') return entry;
	if (Array.isArray(entry)) return entry.join(', ');
	if ('places' in entry) return rowsText(entry as Rows);
	return 'path' in entry ? `${String(entry.method)} ${String(entry.path)}` : JSON.stringify(entry);
}

/** A line to add for each value, with what is said of it. Several statuses go into one line together. */
function linesFor(detail: ApiDetail, proposals: Proposal[]): string[] {
	const byValue = new Map<string, string>();
	for (const { value, why } of proposals) {
		const line = STATUS_DETAILS.includes(detail) ? value : lineOf(detail, value);
		if (!byValue.has(value)) byValue.set(value, why ? `${line} → ${why}` : line);
	}
	return [...byValue.values()];
}

/** Whether an API Detail is needed for something that the user wants, and what to say of that. */
function needOf(detail: ApiDetail, { entered }: Account, isFound: boolean) {
	const { recommendedBecause, emptyIf, neededOnlyFor } = API_DETAILS[detail];
	const isWanted = ALL_DETAILS.some(
		(other) => API_DETAILS[other].neededOnlyFor === neededOnlyFor && entered[other] !== undefined,
	);
	if (recommendedBecause) {
		return { isNeeded: isFound, because: `Recommended: ${recommendedBecause}` };
	}
	if (neededOnlyFor && !isWanted) {
		return { isNeeded: false, because: `Optional: needed only for ${neededOnlyFor}` };
	}
	return { isNeeded: !emptyIf, because: emptyIf && `No line is right if ${emptyIf}` };
}

function adviceOn(known: Known): Advice {
	const { isEntered, problem, allowed, choices } = known;
	if (isEntered) return problem !== undefined || allowed ? wrong(known) : filledIn(known);
	if (allowed) return toEnter(known);
	return choices.length > 0 ? toChoose(known) : toFind(known);
}

const INSTEAD = 'The new line takes the place of yours';

function wrong({ detail, problem, allowed, choices }: Known): Advice {
	const isWrong = problem === undefined ? 'Your entry is probably wrong' : "See 'note'";
	if (allowed) {
		const only = `The API reference allows only '${allowed.value}'`;
		return { enter: allowed.value, why: [isWrong, only, allowed.why], todo: 'enter' };
	}
	return choices.length > 0
		? { why: [isWrong, howToChoose(detail), INSTEAD], todo: 'choose' }
		: { why: [isWrong, whereToLook(detail), INSTEAD], todo: 'find' };
}

function filledIn({ detail, confirmation, isProven, doubt, notes }: Known): Advice {
	if (doubt) return { why: [doubt, howToChoose(detail), INSTEAD], todo: 'choose' };
	const unproven = 'Not proven yet: the first upload shows whether it is right';
	if (detail === 'uploadFileField' && !isProven) return { why: [confirmation, unproven] };
	if (confirmation) return { why: [confirmation] };
	if (notes.length > 0) return { why: [] };
	const { default: otherwise } = API_DETAILS[detail];
	const counts = otherwise && `Without a line, '${otherwise}' counts`;
	return { why: [counts, 'Check Setup cannot tell whether your entry is right'] };
}

function toEnter({ allowed, isNeeded, because }: Known): Advice {
	const todo = isNeeded ? 'enter' : undefined;
	return { enter: allowed?.value, why: [because, allowed?.why], todo };
}

function toChoose({ detail, isNeeded, because }: Known): Advice {
	return { why: [because, howToChoose(detail)], todo: isNeeded ? 'choose' : undefined };
}

function toFind({ detail, isNeeded, because, notes }: Known): Advice {
	const where = notes.length === 0 && whereToLook(detail);
	const asked =
		detail === 'uploadFileField' &&
		sentences(
			`If you cannot find it, add '${lineOf(detail, 'file')}'`,
			'and run Extraction › Extract From Files:',
			'if the service refuses the file, the message says which field it asks for',
		);
	return { why: [because, where, asked], todo: isNeeded ? 'find' : undefined };
}

/** What to do where several values are possible. */
function howToChoose(detail: ApiDetail): string {
	const { label } = API_DETAILS[detail];
	if (detail === 'rows') {
		return "Add the line from 'choices' that shows your columns with the right values";
	}
	const how = STATUS_DETAILS.includes(detail)
		? `Add a line '${label}: …' with all from 'choices' that fit, and commas between.`
		: "Add a line from 'choices'.";
	return `${how} ${whereToLook(detail)}`;
}

/**
 * The credential's own lines in their order, with its comments, and with what the API reference fixes
 * instead of them or below them.
 */
function linesToPaste({ credential, entered, apiKey }: Account, decisions: Decision[]): string[] {
	const left = new Map<ApiDetail, string>();
	for (const { detail, enter, todo } of decisions) {
		const value = (todo === 'enter' ? enter : undefined) ?? entered[detail];
		// JSON may go over several lines.
		const inOneLine = value?.split('\n').map((line) => line.trim());
		if (inOneLine) left.set(detail, lineOf(detail, inOneLine.join(' ')));
	}
	const own = String(credential.apiDetails ?? '')
		.split('\n')
		.flatMap((line) => {
			if (line.trim().startsWith('#')) return [line.trim()];
			const there = [...left].filter(([detail]) => line.includes(API_DETAILS[detail].label));
			for (const [detail] of there) left.delete(detail);
			return there.map(([, whole]) => whole);
		});
	return [...own, ...left.values()].map((line) => withoutSecrets(line, apiKey));
}

const PAGES =
	'https://github.com/n8n-nodes-document-extraction/n8n-nodes-document-extraction/blob/main/docs';
const ASK = [
	"If your service's OpenAPI document is not at openapi.json on the host of 'Base URL',",
	"enter its address in 'OpenAPI Document', or paste the document there as JSON.",
	'For what you cannot find, ask your account team: there is an email to copy at',
	`${PAGES}/api-details.md#ask-your-account-team`,
].join(' ');

/** The next things to do. */
function nextOf(open: Decision[]): string {
	const meant = (one: Advice['todo']) =>
		open.filter(({ todo }) => todo === one).map(({ detail }) => detail);
	const [enter, choose, find] = [meant('enter'), meant('choose'), meant('find')];
	const next = joined([
		enter.length > 0 &&
			`Copy all lines of 'enter' in 'All Entries' into '${DETAILS_LABEL}', in place of what is there`,
		choose.length > 0 &&
			`For ${labelsOf(choose, ', ')}, add a line from 'choices', in place of yours if there is one`,
		find.length > 0 && `Still to be found, see the items: ${labelsOf(find, ', ')}`,
		find.some((detail) => detail !== 'rows') && ASK,
	]);
	return next || 'Nothing else is required, as far as Check Setup can tell.';
}

/** The purposes of which only an upload shows whether the credential is right for them. */
const DIRECT_UPLOADS = new Set(['extractFromFiles', 'directUpload']);

/** Which purposes of API Details are served with what is filled in, and what the others lack. */
function readinessOf(account: Account, decisions: Decision[]) {
	const isProven = decisions.some((one) => one.detail === 'uploadFileField' && one.isProven);
	const works: string[] = [];
	const unproven: string[] = [];
	const lacking: string[] = [];
	for (const [purpose, { label, use }] of Object.entries(PURPOSES)) {
		const of = use(account);
		if ('wrong' in of) lacking.push(`${label} (correct ${labelsOf([of.wrong], ', ')})`);
		else if ('lacking' in of) lacking.push(`${label} (needs ${labelsOf(of.lacking, ', ')})`);
		else (DIRECT_UPLOADS.has(purpose) && !isProven ? unproven : works).push(label);
	}
	const now = sentences(
		works.length > 0 && `The credential is filled in for: ${works.join(', ')}.`,
		unproven.length > 0 &&
			`The first upload shows whether it is right for: ${unproven.join(', ')}.`,
	);
	const said = now || 'The credential is not yet filled in for anything that needs API Details.';
	const doesNot = lacking.length > 0 && `Not yet for: ${lacking.join('; ')}.`;
	return { works: said, all: sentences(said, doesNot) };
}
