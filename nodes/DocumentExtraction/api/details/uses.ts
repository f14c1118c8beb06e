/** Which operations need which API Details. */
import type { DocumentExtractionCredential } from '../credential';
import { hasDetail } from './detail';
import { API_DETAILS, type ApiDetail } from './apiDetails';

interface Use {
	/** As the node's panel names it. */
	operation: string;
	/** Without these it does not run. */
	needs: ApiDetail[];
	/** Without any of these it does nothing. */
	needsOneOf?: ApiDetail[];
	/** These it uses where they are filled in. */
	takes?: ApiDetail[];
	/** Whether it can wait for extractions, with `WAITING` where they are filled in. */
	waits?: true;
	/** What the summary of Check Setup calls it; it leaves out the others. */
	title?: string;
}

const WAITING: ApiDetail[] = ['finishedStatuses', 'workflowEndpoint'];

/** By what a user wants to do; operations that need nothing but the interface are in it too. */
const USES: Use[] = [
	{
		operation: 'Extract From Files and Document › Upload, direct',
		needs: ['uploadFileField'],
		takes: ['documentIdField'],
		waits: true,
		title: 'Extract From Files',
	},
	{
		operation: 'Extract From Files and Document › Upload, by signed URL',
		needs: ['uploadUrlEndpoint', 'uploadUrlField', 'confirmMethod', 'confirmBody'],
		takes: ['uploadUrlBody', 'uploadHeadersField', 'documentIdField'],
		waits: true,
		title: 'signed uploads',
	},
	{
		operation: 'Create Upload URL',
		needs: ['uploadUrlEndpoint', 'uploadUrlField'],
		takes: ['uploadUrlBody', 'uploadHeadersField', 'documentIdField'],
	},
	{ operation: 'Confirm Upload', needs: ['confirmMethod', 'confirmBody'] },
	{ operation: 'Extract Documents and Extract One Document', needs: [], waits: true },
	{ operation: 'Extraction › Get Many', needs: [] },
	{ operation: 'Document › Get Many', needs: [] },
	{ operation: 'Merge Documents', needs: [] },
	{
		operation: 'Workflow › Get, Wait Until Extracted, lists of collections and columns',
		needs: ['workflowEndpoint'],
	},
	{
		operation: 'Simplify',
		needs: [],
		needsOneOf: ['valuesField', 'columnNameField'],
		takes: ['columnValueField'],
		title: 'one row per document',
	},
];

/** What is wrong with API Details that are filled in. */
export type DetailProblems = { [detail in ApiDetail]?: string };

/** Which operations run with what is filled in, and what the others lack. */
export function operationsByReadiness(
	credential: DocumentExtractionCredential,
	problems: DetailProblems,
): { ready: string[]; lacking: string[] } {
	const ready: string[] = [];
	const lacking: string[] = [];
	for (const use of USES) {
		const reasons = reasonsAgainst(credential, use, problems);
		if (reasons.length === 0) ready.push(use.operation);
		else lacking.push(`${use.operation} (${reasons.join(', ')})`);
	}
	return { ready, lacking };
}

/** One sentence: which of the main uses work with what is filled in. */
export function worksNow(
	credential: DocumentExtractionCredential,
	problems: DetailProblems,
): string {
	const titles = USES.flatMap((use) =>
		use.title && reasonsAgainst(credential, use, problems).length === 0 ? [use.title] : [],
	);
	return titles.length > 0
		? `Works now: ${titles.join(', ')}.`
		: 'Works now: only what needs no API Detail, such as Extraction › Get Many.';
}

function reasonsAgainst(
	credential: DocumentExtractionCredential,
	{ needs, needsOneOf = [], takes = [], waits }: Use,
	problems: DetailProblems,
): string[] {
	const isEmpty = (detail: ApiDetail) => !hasDetail(credential, detail);
	const empty = needs.filter(isEmpty);
	const alternatives = needsOneOf.every(isEmpty) ? needsOneOf : [];
	const used = [...needs, ...needsOneOf, ...takes, ...(waits ? WAITING : [])];
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
