/** What API Details are needed for, and what works with those that are filled in. */
import type { DocumentExtractionCredential } from '../credential';
import { hasDetail } from './detail';
import { API_DETAILS, type ApiDetail } from './apiDetails';

/** A way in which operations use API Details; those that share it name the same object. */
export interface Use {
	/** What follows the names of its operations. */
	way?: string;
	/** What else it serves. */
	alsoFor?: string;
	/** Without these it does not run. */
	needs?: ApiDetail[];
	/** Without any of these it does nothing. */
	needsOneOf?: ApiDetail[];
	/** These it uses where they are filled in. */
	takes?: ApiDetail[];
	/** What the summary of Check Setup calls it; it leaves out the others. */
	title?: string;
}

/** What tells when an extraction is finished. */
export const FOR_WAITING: ApiDetail[] = ['finishedStatuses', 'workflowEndpoint'];

export const DIRECT_UPLOAD: Use = {
	way: 'direct',
	needs: ['uploadFileField'],
	takes: ['documentIdField', ...FOR_WAITING],
	title: 'Extract From Files',
};

export const SIGNED_UPLOAD: Use = {
	way: 'by signed URL',
	needs: ['uploadUrlEndpoint', 'uploadUrlField', 'confirmMethod', 'confirmBody'],
	takes: ['uploadUrlBody', 'uploadHeadersField', 'documentIdField', ...FOR_WAITING],
	title: 'signed uploads',
};

export const WORKFLOW: Use = {
	needs: ['workflowEndpoint'],
	alsoFor: 'lists of collections and columns',
};

const SIMPLIFY: Use = {
	needsOneOf: ['valuesField', 'columnNameField'],
	takes: ['columnValueField'],
	title: 'one row per document',
};

/** An operation as readiness sees it. */
export interface UsingOperation {
	resource: string;
	/** In the panel. */
	name: string;
	uses: Use[];
}

/** All uses, by what the user reads of them. */
function namedUses(operations: UsingOperation[]): Array<[name: string, use: Use]> {
	const sharedBy = new Map<Use, string[]>();
	for (const operation of operations) {
		const { uses } = operation;
		for (const use of uses.length > 0 ? uses : [{}]) {
			sharedBy.set(use, [...(sharedBy.get(use) ?? []), nameAmong(operations, operation)]);
		}
	}
	const named = [...sharedBy].map(([use, names]): [string, Use] => {
		const { way, alsoFor } = use;
		if (alsoFor) return [[...names, alsoFor].join(', '), use];
		return [`${names.join(' and ')}${way ? `, ${way}` : ''}`, use];
	});
	return [...named, ['Simplify', SIMPLIFY]];
}

/** With its resource, unless its name alone tells it from all others: Upload is in Confirm Upload, too. */
function nameAmong(all: UsingOperation[], { resource, name }: UsingOperation): string {
	const isClear = all.filter((other) => other.name.includes(name)).length === 1;
	return isClear ? name : `${resource[0].toUpperCase()}${resource.slice(1)} › ${name}`;
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
	for (const [name, use] of namedUses(operations)) {
		const reasons = reasonsAgainst(credential, use, problems);
		if (reasons.length === 0) ready.push(name);
		else lacking.push(`${name} (${reasons.join(', ')})`);
	}
	return { ready, lacking };
}

/** One sentence: which of the main uses work with what is filled in. */
export function worksNow(
	credential: DocumentExtractionCredential,
	problems: DetailProblems,
): string {
	const titles = [DIRECT_UPLOAD, SIGNED_UPLOAD, SIMPLIFY].flatMap((use) =>
		use.title && reasonsAgainst(credential, use, problems).length === 0 ? [use.title] : [],
	);
	return titles.length > 0
		? `Works now: ${titles.join(', ')}.`
		: 'Works now: only what needs no API Detail, such as Extraction › Get Many.';
}

function reasonsAgainst(
	credential: DocumentExtractionCredential,
	{ needs = [], needsOneOf = [], takes = [] }: Use,
	problems: DetailProblems,
): string[] {
	const isEmpty = (detail: ApiDetail) => !hasDetail(credential, detail);
	const empty = needs.filter(isEmpty);
	const alternatives = needsOneOf.every(isEmpty) ? needsOneOf : [];
	const used = [...needs, ...needsOneOf, ...takes];
	const wrong = used.filter((detail) => detail in problems);
	return [
		...(empty.length > 0 ? [`needs ${labels(empty, ', ')}`] : []),
		...(alternatives.length > 0 ? [`needs ${labels(alternatives, ' or ')}`] : []),
		...(wrong.length > 0 ? [`correct ${labels(wrong, ', ')}`] : []),
	];
}

function labels(details: ApiDetail[], separator: string): string {
	return details.map((detail) => `'${API_DETAILS[detail].label}'`).join(separator);
}
