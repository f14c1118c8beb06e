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
} from '../account/apiDetails';
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

/** What is known of an API Detail, and what to do about it. */
interface Decision {
	detail: ApiDetail;
	/** Why the entry cannot be right. */
	problem?: string;
	/** Whether a real read, or an upload, has worked with the entry. */
	isProven: boolean;
	/** The value to enter. */
	enter?: string;
	/** Lines to choose from. */
	choices: string[];
	/** Sentences, with or without a period. */
	why: Array<string | false | undefined>;
	/** What the user has to do; nothing where this is undefined. */
	todo?: 'enter' | 'choose' | 'find';
}

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
	const decisions = ALL_DETAILS.map((detail) => {
		const of = all.filter((one) => one.detail === detail);
		return decisionOn(detail, account, of);
	});
	// Where results name their document otherwise, rows depend on that.
	const isFirst = ({ detail, says }: Proposal) => detail === 'documentIdField' && says === 'note';
	const first = proposals.some(isFirst) ? 'documentIdField' : 'rows';
	const place = ({ detail, todo }: Decision) =>
		detail === first ? 0 : detail === 'rows' ? 1 : todo ? 2 : 3;
	const inOrder = decisions.toSorted((one, other) => place(one) - place(other));
	const next = nextOf(inOrder);
	const { works, lacking } = readinessOf(account, decisions);
	const words = failure && wordsOf(failure);
	const unread =
		words && `Neither documents nor results could be read: ${asSentence(words.message)}`;
	const allEntries: SetupItem = {
		apiDetail: 'All Entries',
		enter: linesToPaste(account, decisions),
		choices: [],
		why: unread ? 'Do what the hint above says, and execute this step again.' : next,
		note: unread ?? sentences(works, lacking),
	};
	return {
		items: [allEntries, ...inOrder.map(itemOf)].map(withoutBlanks),
		summary: unread ? sentences(unread, words?.description) : sentences(works, next),
	};
}

const itemOf = ({ detail, problem, enter = '', choices, why }: Decision): SetupItem => ({
	apiDetail: API_DETAILS[detail].label,
	enter,
	choices,
	why: joined(why),
	note: joined([problem && `Does not work now: ${problem}`]),
});

/** n8n's table shows what is empty, and a field that only other items have, in red. */
const NOTHING = '–';

/** Every item has the same fields, as n8n's Schema view shows one item filled up from the others. */
function withoutBlanks(item: SetupItem): IDataObject {
	const said = Object.entries<string | string[]>({ ...item });
	return Object.fromEntries(said.map(([field, text]) => [field, text.length > 0 ? text : NOTHING]));
}

const joined = (parts: Decision['why']) =>
	sentences(...parts.map((part) => part && asSentence(part)));

/** @param proposals those for this API Detail */
function decisionOn(detail: ApiDetail, account: Account, proposals: Proposal[]): Decision {
	const of = (...kinds: Array<Proposal['says']>) =>
		kinds.flatMap((says) => proposals.filter((one) => one.says === says));
	const use = account.details[detail];
	const { default: otherwise } = API_DETAILS[detail];
	const own = 'ready' in use ? (account.entered[detail] ?? otherwise) : undefined;
	// A path may lead to the field that a bare name finds.
	const isOwn = ({ value }: Proposal) =>
		own === value || (detail === 'documentIdField' && own?.endsWith(`.${value}`));
	const fixed = of('fixed');
	const confirmation = [...of('works'), ...fixed.filter(isOwn)].at(0)?.why;
	const possible = of('fixed', 'possible');
	// A default is nobody's choice yet, where the response to an upload has other fields.
	const isUndecided =
		account.entered[detail] === undefined &&
		!confirmation &&
		!possible.some(isOwn) &&
		(possible.length > 0 || of('fails').length > 0);
	const isEntered = !('lacking' in use) && !isUndecided;
	const isProven = of('works').length > 0;
	const notes = of('note').map(({ why }) => why);
	const allowed = confirmation ? undefined : fixed.at(0);
	const others = [...possible, ...of('elsewhere')].filter((one) => !isOwn(one));
	const choices = allowed ? [] : linesFor(detail, others);
	const problem = 'wrong' in use ? withoutSecrets(use.error.message, account.apiKey) : undefined;
	const known = { detail, problem, isProven, choices };
	const way = wayTo(detail, { allowed, choices, isEntered, isExplained: notes.length > 0 });
	if (!isEntered) {
		const { isNeeded, because } = needOf(detail, account, way.todo !== 'find');
		const why = [because, ...way.why, ...notes];
		return { ...known, ...way, why, todo: isNeeded ? way.todo : undefined };
	}
	const doubt = allowed ? 'Your entry is probably wrong' : of('doubtful').at(0)?.why;
	const wrong = problem === undefined ? doubt : "See 'note'";
	if (wrong) return { ...known, ...way, why: [wrong, ...way.why, ...notes] };
	const unproven =
		detail === 'uploadFileField' &&
		!isProven &&
		'Not proven yet: the first upload shows whether it is right';
	const counts = otherwise && `Without a line, '${otherwise}' counts`;
	const unknown = [counts, 'Check Setup cannot tell whether your entry is right'];
	const said = [confirmation, unproven, ...notes].filter(Boolean);
	return { ...known, why: said.length > 0 ? said : unknown };
}

/** The way to the right line: what the API reference allows, or one of the choices, or where to look. */
function wayTo(
	detail: ApiDetail,
	known: { allowed?: Proposal; choices: string[]; isEntered: boolean; isExplained: boolean },
): Pick<Decision, 'enter' | 'why' | 'todo'> {
	const { allowed, choices, isEntered, isExplained } = known;
	if (allowed) {
		const only = isEntered && `The API reference allows only '${allowed.value}'`;
		return { enter: allowed.value, why: [only, allowed.why], todo: 'enter' };
	}
	const instead = isEntered && 'The new line takes the place of yours';
	if (choices.length > 0) return { why: [howToChoose(detail), instead], todo: 'choose' };
	const where = (isEntered || !isExplained) && whereToLook(detail);
	const asked =
		detail === 'uploadFileField' &&
		!isEntered &&
		sentences(
			`If you cannot find it, add '${lineOf(detail, 'file')}'`,
			'and run Extraction › Extract From Files:',
			'if the service refuses the file, the message says which field it asks for',
		);
	return { why: [where, instead, asked], todo: 'find' };
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

/** A line to add for each value, with what is said of it. Several statuses go into one line together. */
function linesFor(detail: ApiDetail, proposals: Proposal[]): string[] {
	const byValue = new Map<string, string>();
	for (const { value, why } of proposals) {
		const line = STATUS_DETAILS.includes(detail) ? value : lineOf(detail, value);
		if (!byValue.has(value)) byValue.set(value, why ? `${line} → ${why}` : line);
	}
	return [...byValue.values()];
}

/** What to do where several values are possible. */
function howToChoose(detail: ApiDetail): string {
	if (detail === 'rows') {
		return "Add the line from 'choices' that shows your columns with the right values";
	}
	const how = STATUS_DETAILS.includes(detail)
		? `Add a line '${lineOf(detail, '…')}' with all from 'choices' that fit, and commas between.`
		: "Add a line from 'choices'.";
	return `${how} ${whereToLook(detail)}`;
}

/** The credential's comments and lines, and what the API reference fixes instead of them or beside them. */
function linesToPaste({ credential, entered, apiKey }: Account, decisions: Decision[]): string[] {
	const own = String(credential.apiDetails ?? '').split('\n');
	const comments = own.map((line) => line.trim()).filter((line) => line.startsWith('#'));
	const lines = decisions.flatMap(({ detail, enter, todo }) => {
		const value = (todo === 'enter' ? enter : undefined) ?? entered[detail];
		return value === undefined ? [] : [lineOf(detail, value)];
	});
	return [...comments, ...lines].map((line) => withoutSecrets(line, apiKey));
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
function nextOf(decisions: Decision[]): string {
	const open = (kind: Decision['todo']) =>
		decisions.filter(({ todo }) => todo === kind).map(({ detail }) => detail);
	const [enter, choose, find] = [open('enter'), open('choose'), open('find')];
	const next = joined([
		enter.length > 0 &&
			`Copy all lines of 'enter' in 'All Entries' into '${DETAILS_LABEL}', in place of what is there`,
		choose.length > 0 &&
			`For ${labelsOf(choose)}, add a line from 'choices', in place of yours if there is one`,
		find.length > 0 && `Still to be found, see the items: ${labelsOf(find)}`,
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
		if ('wrong' in of) lacking.push(`${label} (correct ${labelsOf([of.wrong])})`);
		else if ('lacking' in of) lacking.push(`${label} (needs ${labelsOf(of.lacking)})`);
		else (DIRECT_UPLOADS.has(purpose) && !isProven ? unproven : works).push(label);
	}
	const now = sentences(
		works.length > 0 && `The credential is filled in for: ${works.join(', ')}.`,
		unproven.length > 0 &&
			`The first upload shows whether it is right for: ${unproven.join(', ')}.`,
	);
	return {
		works: now || 'The credential is not yet filled in for anything that needs API Details.',
		lacking: lacking.length > 0 && `Not yet for: ${lacking.join('; ')}.`,
	};
}
