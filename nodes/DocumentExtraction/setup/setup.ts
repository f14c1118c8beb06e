/** Says of each API Detail what to enter or to choose, from what the sources propose. */
import { accountOf, PURPOSES, type Account } from '../account/account';
import { ALL_DETAILS, API_DETAILS, whereToLook, type ApiDetail } from '../account/apiDetails';
import { asSentence, counted, sentences } from '../service/sentences';
import { withoutSecrets } from '../http/redact';
import { wordsOf } from '../messages/words';
import { NO_READING, type Evidence } from './evidence';
import type { Proposal } from './findings';

/** What can be said of one decision. */
export interface SetupItem {
	apiDetail: string;
	/**
	 * What to type; empty where nothing is to be entered, or the user has to choose. The first item has
	 * a list: n8n's table shows each entry of a list on a line of its own, and a text on one.
	 */
	enter: string | string[];
	/** What this rests on, or what to decide. */
	why: string;
	/** Where several values are possible, the likeliest first. */
	choices: string[];
	/** What is wrong with what the credential holds, and what the API reference says. */
	note: string;
	/** The name of the field, for n8n's public API. */
	credentialField: string;
}

/** One decision: an API Detail, or the three that make rows. */
interface Subject {
	name: Proposal['detail'];
	label: string;
	details: readonly [ApiDetail, ...ApiDetail[]];
}

const SUBJECTS = ALL_DETAILS.map(
	(detail): Subject => ({ name: detail, label: API_DETAILS[detail].label, details: [detail] }),
);

/** What to do where several values are possible, beside where to look. */
const CHOOSE: { [name in Subject['name']]?: string } = {
	rows: 'Choose the line that shows your columns with the right values, and enter what stands left of its arrow.',
	documentIdField: 'Choose the field with the document ID; enter what stands left of its arrow.',
	finishedStatuses:
		"To fill in 'Finished Statuses', enter every status from 'choices' (left of the arrow) that means that the extraction is over, whether it succeeded or failed, separated by commas. Your API reference may list more.",
};

/** What to do about a subject. */
interface Advice {
	subject: Subject;
	item: SetupItem & { enter: string };
	/** How it is to be filled in or corrected, if it is needed or recommended, and not only for those who want it. */
	todo?: 'enter' | 'choose' | 'find';
}

/**
 * Orders what the sources propose. Only what the API reference fixes is to be entered; everything else
 * is chosen. Something is wrong if it is malformed or a real read with it failed, never because
 * something else is proposed.
 * @param declared by the API reference
 * @returns first an item with all entries, then one for each decision in the order in which users need
 * them; and what works, and what to do next
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
	const advice = SUBJECTS.map((subject) => adviceOn(subject, account, all));
	const open = advice.filter(({ todo }) => todo);
	const readiness = readinessOf(account);
	const words = failure && wordsOf(failure);
	const unread =
		words && `Neither documents nor results could be read: ${asSentence(words.message)}`;
	const first: SetupItem = {
		apiDetail: 'All Entries',
		enter: entryLines(open),
		why:
			open.length > 0
				? "The credential window will cover this output, so first copy the lines in 'enter' into a text editor. Where a line says to choose, copy your choice as well; where it says to see a note, copy the note."
				: unread
					? 'Do what the hint above this output says, and execute this step again.'
					: 'Nothing needs to be entered, as far as Check Setup can tell.',
		choices: [],
		note: unread ?? readiness.all,
		credentialField: '',
	};
	return {
		items: [first, ...advice.map(({ item }) => item)],
		summary: unread
			? sentences(unread, words?.description)
			: sentences(readiness.works, nextOf(open)),
	};
}

function adviceOn(subject: Subject, account: Account, proposals: Proposal[]): Advice {
	const { name, label, details } = subject;
	const { credential } = account;
	const [detail] = details;
	const of = (...kinds: Array<Proposal['says']>) =>
		kinds.flatMap((says) => proposals.filter((one) => one.detail === name && one.says === says));
	const entered = account.entered[detail] ?? API_DETAILS[detail].default;
	const isEntered = entered !== undefined;
	const isHeld = ({ value }: Proposal) => value === entered;
	const use = name === 'rows' ? account.rows : account.details[name];
	const problem = 'wrong' in use ? use.error.message : undefined;
	const confirmation = [...of('works'), ...of('fixed').filter(isHeld)].at(0)?.why;
	const possible = of('fixed', 'possible');
	// A default is nobody's choice yet, where the response to an upload has other fields.
	const isUndecided =
		isEntered &&
		entered === API_DETAILS[detail].default &&
		confirmation === undefined &&
		possible.length > 0 &&
		!possible.some(isHeld);
	const isFilled = isEntered && problem === undefined && !isUndecided;
	const entry = isFilled ? undefined : of('fixed').find((one) => !isHeld(one));
	const choices =
		entry || (name === 'rows' && isFilled)
			? []
			: linesOf([...possible, ...of('elsewhere')].filter((one) => !isHeld(one)));
	const notes = of('note').map(({ why }) => (/[}\]]$/.test(why) ? why : asSentence(why)));
	const { isNeeded, because } = needOf(detail, account, Boolean(entry) || choices.length > 0);
	const how = () => {
		if (entry) return asSentence(entry.why);
		if (choices.length > 0) return CHOOSE[name] ?? `Choose from 'choices'. ${whereToLook(detail)}`;
		if (name === 'rows') return notes.join(' ') || asSentence(NO_READING);
		const see = problem ? 'Your entry does not work: see' : notes.length > 0 && 'See';
		return sentences(see && `${see} 'note' in the item '${label}'.`, whereToLook(detail));
	};
	const unsure = `It is filled in. Check Setup cannot tell whether it is right.${choices.length > 0 && name !== 'finishedStatuses' ? " Other possible values are in 'choices': change your entry only if it does not work, or if you know that one of them is right." : ''}`;
	const isOpen = problem !== undefined || isUndecided || (!isEntered && isNeeded);
	const todo = entry ? 'enter' : choices.length > 0 ? 'choose' : 'find';
	return {
		subject,
		todo: isOpen ? todo : undefined,
		item: {
			apiDetail: label,
			enter: entry?.value ?? '',
			why: isFilled ? asSentence(confirmation ?? unsure) : sentences(!isEntered && because, how()),
			choices,
			note: sentences(
				// A command may have been pasted whole.
				problem && `Does not work now: ${asSentence(withoutSecrets(problem, credential.apiKey))}`,
				...(name === 'rows' && !isFilled ? [] : notes),
			),
			credentialField: detail,
		},
	};
}

/** Each value once, with what is said of it. */
function linesOf(proposals: Proposal[]): string[] {
	const lines = new Map<string, string>();
	for (const { value, why } of proposals) {
		if (!lines.has(value)) lines.set(value, why ? `${value} → ${why}` : value);
	}
	return [...lines.values()];
}

/**
 * Whether an API Detail that is empty should be filled in, and why, or what it is for otherwise.
 * @param isFound whether there is something to enter or to choose
 */
function needOf(
	detail: ApiDetail,
	account: Account,
	isFound: boolean,
): { isNeeded: boolean; because?: string } {
	const { recommendedBecause, replacedBy, emptyIf, neededOnlyFor } = API_DETAILS[detail];
	if (recommendedBecause) {
		return { isNeeded: isFound, because: `Recommended: ${recommendedBecause}.` };
	}
	if (replacedBy && account.entered[replacedBy] !== undefined) {
		const because = `Optional: '${API_DETAILS[replacedBy].label}' is usually enough.`;
		return { isNeeded: false, because };
	}
	const isWanted = ALL_DETAILS.some(
		(other) =>
			API_DETAILS[other].neededOnlyFor === neededOnlyFor && account.entered[other] !== undefined,
	);
	if (neededOnlyFor && !isWanted) {
		return { isNeeded: false, because: `Optional: needed only for ${neededOnlyFor}.` };
	}
	const because = emptyIf && `Leave it empty if ${emptyIf}.`;
	const isNeeded = Object.values(PURPOSES).some(({ use }) => {
		const needed = use(account);
		return 'lacking' in needed && needed.lacking.includes(detail);
	});
	return { isNeeded, because };
}

/** What to do for each open subject. */
function entryLines(open: Advice[]): string[] {
	return open.map(({ item, todo }) => {
		const other =
			todo === 'choose' ? `choose from 'choices' in the item '${item.apiDetail}'` : item.why;
		return `${item.apiDetail}: ${item.enter || `(${other})`}`;
	});
}

const ASK =
	"Unless 'OpenAPI Document' is filled in, Check Setup looks for openapi.json on the host of 'Base URL'. If your API reference is at another address on that host, enter the address in 'OpenAPI Document'. If it is on another host, paste the OpenAPI document itself into that field, as JSON. Then execute this step again. For what you cannot find, ask your account team: there is an email to copy at https://github.com/n8n-nodes-document-extraction/n8n-nodes-document-extraction/blob/main/docs/api-details.md#ask-your-account-team";

/** The next thing to do: it counts what the first item lists. */
function nextOf(open: Advice[]): string {
	const steps = (['enter', 'choose', 'find'] as const).flatMap((wanted) => {
		const { length } = open.filter(({ todo }) => todo === wanted);
		return length > 0 ? [`${wanted} ${counted(length, 'value')}`] : [];
	});
	return steps.length > 0
		? sentences(
				`Next: ${steps.join(', ')}. See the first item, 'All Entries'.`,
				open.some(({ todo, subject }) => todo === 'find' && subject.name !== 'rows') && ASK,
			)
		: 'Nothing else is required, as far as Check Setup can tell. For signed uploads, see the items about them below.';
}

/** As the output calls them. */
const itemsOf = (lacking: ApiDetail[]) =>
	SUBJECTS.filter(({ details }) => details.some((detail) => lacking.includes(detail)))
		.map(({ label }) => `'${label}'`)
		.join(', ');

/** Which purposes of API Details are served with what is filled in, and what the others lack. */
function readinessOf(account: Account) {
	const works: string[] = [];
	const lacking: string[] = [];
	for (const { label, use } of Object.values(PURPOSES)) {
		const of = use(account);
		if ('ready' in of) works.push(label);
		else if ('wrong' in of) lacking.push(`${label} (correct ${itemsOf([of.wrong])})`);
		else lacking.push(`${label} (needs ${itemsOf(of.lacking)})`);
	}
	const worksNow = `The credential is ${works.length > 0 ? `filled in for: ${works.join(', ')}` : 'not yet filled in for anything that needs more than the first four fields'}.`;
	const doesNot = lacking.length > 0 && `Not yet for: ${lacking.join('; ')}.`;
	return { works: worksNow, all: sentences(worksNow, doesNot) };
}
