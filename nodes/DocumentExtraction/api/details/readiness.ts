/** Which operations work with the API Details that are filled in. */
import type { DocumentExtractionCredential } from '../credential';
import { ALL_DETAILS, API_DETAILS, hasDetail, PURPOSES } from './apiDetails';
import type { ApiDetail, Purpose } from './apiDetails';

/** An operation as readiness sees it. */
export interface UsingOperation {
	resource: string;
	/** In the panel. */
	name: string;
	/** What it uses API Details for, one for each way in which it can be used. */
	uses: Purpose[];
}

/** What is wrong with API Details that are filled in. */
export type DetailProblems = { [detail in ApiDetail]?: string };

/** Which operations run with what is filled in, and what the others lack. */
export function operationsByReadiness(
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
export function worksNow(
	credential: DocumentExtractionCredential,
	problems: DetailProblems,
): string {
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
