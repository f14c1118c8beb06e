/** Says of each API Detail what to enter or to choose, from what the sources propose. */
import type { IDataObject } from 'n8n-workflow';

import type { Account, Use } from '../account/account';
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
import { wordsOf, type Words } from '../messages/words';
import type { Evidence } from './evidence';
import { STATUS_DETAILS, type Proposal } from './findings';

/** What the output says of one decision. */
export interface SetupItem {
	apiDetail: string;
	/** The value to enter; of the first item, all lines to paste. */
	enter: string;
	/** Where several values are possible, the lines to choose from, the likeliest first. */
	choices: string[];
	/** What is wrong with the entry, what it rests on, or what to do. */
	why: string;
}

type Todo = 'enter' | 'choose' | 'find';

interface Decision extends SetupItem {
	detail: ApiDetail;
	/** What the user has to do; nothing where this is undefined. */
	todo?: Todo;
}

/**
 * Orders what the sources propose. Only what the API reference fixes is to be entered; everything else
 * is chosen. An entry is wrong if it is malformed, if a real read with it failed, or if the API
 * reference allows only something else.
 * @param declared by the API reference
 * @returns first an item with all lines to paste, then Rows, what is open, and all others; and what to do
 * next
 */
export function setupFrom(
	account: Account,
	declared: Proposal[],
	{ proposals, failure }: Evidence,
): { items: IDataObject[]; summary: string } {
	const all = [...proposals, ...declared];
	const of = (detail: ApiDetail) => all.filter((one) => one.detail === detail);
	const decisions = ALL_DETAILS.map((detail) => decisionOn(detail, account, of(detail)));
	const place = ({ detail, todo }: Decision) => {
		// Rows depend on whose results they are.
		if (detail === 'documentIdField' && todo) return 0;
		if (detail === 'rows') return 1;
		return todo ? 2 : 3;
	};
	const inOrder = decisions.toSorted((one, other) => place(one) - place(other));
	const { next, ask } = nextOf(inOrder, of('uploadFileField'), failure && wordsOf(failure));
	const allEntries: SetupItem = {
		apiDetail: 'All Entries',
		enter: linesToPaste(account, decisions),
		choices: [],
		why: next,
	};
	return {
		items: [allEntries, ...inOrder].map(({ apiDetail, enter, choices, why }) => ({
			apiDetail,
			enter: enter || NOTHING,
			choices: choices.length > 0 ? choices : NOTHING,
			why,
		})),
		summary: sentences(next, ask),
	};
}

/** n8n's table shows in red what is empty. */
const NOTHING = '–';

/** @param parts with or without their periods */
const joined = (...parts: Array<string | false | undefined>) =>
	sentences(...parts.map((part) => part && asSentence(part)));

/** @param proposals those for this API Detail */
function decisionOn(detail: ApiDetail, account: Account, proposals: Proposal[]): Decision {
	const of = (...kinds: Array<Proposal['says']>) =>
		kinds.flatMap((says) => proposals.filter((one) => one.says === says));
	const { label, default: otherwise, optional } = API_DETAILS[detail];
	const use = account.details[detail];
	const entered = account.entered[detail];
	const failure = 'wrong' in use ? use.wrong.message : of('fails').at(0)?.why;
	const own = failure === undefined ? (entered ?? otherwise) : undefined;
	// A path may lead to the field that a bare name finds.
	const isOwn = ({ value }: Proposal) =>
		own === value || (detail === 'documentIdField' && own?.endsWith(`.${value}`));
	const fixed = of('fixed');
	const possible = of('fixed', 'possible');
	const confirmation = [...of('works'), ...fixed.filter(isOwn)].at(0)?.why;
	const allowed = confirmation ? undefined : fixed.at(0)?.value;
	const others = [...possible, ...of('elsewhere')].filter((one) => !isOwn(one));
	const choices = allowed === undefined ? linesFor(detail, others) : [];
	const notes = of('note').map(({ why }) => why);
	const known = { apiDetail: label, detail, choices };

	// A default is nobody's choice yet, where there are others.
	const isChosen = entered !== undefined || confirmation || possible.length === 0;
	const isEntered = !('lacking' in use) && (isChosen || possible.some(isOwn));
	const broken = failure && `Does not work now: ${withoutSecrets(failure, account.apiKey)}`;
	const unlike =
		allowed && `Your entry is probably wrong: the API reference allows only '${allowed}'`;
	const problem = broken ?? (isEntered ? (unlike ?? of('doubtful').at(0)?.why) : undefined);
	if (isEntered && !problem) {
		const isUnproven = detail === 'uploadFileField' && of('works').length === 0;
		const said = joined(confirmation, isUnproven && UNPROVEN, ...notes);
		const unknown = entered === undefined ? `Without a line, '${otherwise}' counts.` : UNKNOWN;
		return { ...known, enter: '', why: said || unknown };
	}

	const todo = allowed !== undefined ? 'enter' : choices.length > 0 ? 'choose' : 'find';
	const how = {
		enter: [fixed.at(0)?.why],
		choose: [howToChoose(detail)],
		find: [notes.length === 0 && whereToLook(detail), detail === 'uploadFileField' && TRY_A_FIELD],
	};
	const isAsked = isEntered || isNeeded(detail, account, todo);
	return {
		...known,
		todo: isAsked ? todo : undefined,
		enter: allowed ?? '',
		why: joined(problem, !isEntered && optional, ...how[todo], ...notes),
	};
}

const UNKNOWN = 'Check Setup cannot tell whether your entry is right.';

/** No read shows it. */
const UNPROVEN = `The first upload shows whether '${API_DETAILS.uploadFileField.label}' is right`;

/** Another way than to look it up. */
const TRY_A_FIELD = [
	`If you cannot find it, add '${lineOf('uploadFileField', 'file')}'`,
	'and run Extraction › Extract From Files:',
	'if the service refuses the file, the message may say which field it asks for;',
	'otherwise, ask your account team',
].join(' ');

/**
 * Whether to ask for an API Detail without a line: not for an optional one, unless it was found, and
 * is recommended, or signed uploads, for which others have a line, do not work without it.
 */
function isNeeded(detail: ApiDetail, account: Account, todo: Todo): boolean {
	if (API_DETAILS[detail].optional === undefined) return true;
	if (detail === 'workflowEndpoint') return todo !== 'find';
	const uses: Array<Use<unknown>> = [account.uploadUrl, account.confirmation];
	const isLacking = uses.some((use) => 'lacking' in use && use.lacking.includes(detail));
	return account.hasSignedLines && isLacking;
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
function linesToPaste({ credential, entered, apiKey }: Account, decisions: Decision[]): string {
	const own = String(credential.apiDetails ?? '').split('\n');
	const comments = own.map((line) => line.trim()).filter((line) => line.startsWith('#'));
	const lines = decisions.flatMap(({ detail, enter, todo }) => {
		const value = todo === 'enter' ? enter : entered[detail];
		return value === undefined ? [] : [lineOf(detail, value)];
	});
	return withoutSecrets([...comments, ...lines].join('\n'), apiKey);
}

const PAGES =
	'https://github.com/n8n-nodes-document-extraction/n8n-nodes-document-extraction/blob/main/docs';
const ASK = [
	"If your service's OpenAPI document is not at openapi.json on the host of 'Base URL',",
	"enter its address in 'OpenAPI Document', or paste the document there as JSON.",
	'For what you cannot find, ask your account team: there is an email to copy at',
	`${PAGES}/api-details.md#ask-your-account-team`,
].join(' ');

const NOTHING_ELSE = 'Nothing else is required, as far as Check Setup can tell';

/** The next things to do, and whom to ask. */
function nextOf(decisions: Decision[], ofFileField: Proposal[], failure?: Words) {
	const isUnproven = ofFileField.every(({ says }) => says !== 'works');
	const open = (kind: Todo) =>
		decisions.filter(({ todo }) => todo === kind).map(({ detail }) => detail);
	const [enter, choose, find] = [open('enter'), open('choose'), open('find')];
	const next = joined(
		failure && `Neither documents nor results could be read: ${failure.message}`,
		enter.length > 0 &&
			`Copy all lines of 'enter' in 'All Entries' into '${DETAILS_LABEL}', in place of what is there`,
		choose.length > 0 &&
			`For ${labelsOf(choose)}, add a line from 'choices', in place of yours if there is one`,
		find.length > 0 && `Still to be found, see the items: ${labelsOf(find)}`,
	);
	return {
		next: next || joined(NOTHING_ELSE, isUnproven && UNPROVEN),
		// Not in the table: an address widens its column.
		ask: failure ? failure.description : find.some((detail) => detail !== 'rows') && ASK,
	};
}
