/** Which operations need which API Details. */
import type { DocumentExtractionCredential } from '../credential';
import { hasDetail } from './detail';
import { API_DETAILS, type ApiDetail } from './labels';
import { problemOf } from './wellFormed';

interface Use {
	/** As the node's panel names it. */
	operation: string;
	/** Without these it does not run. */
	needs: ApiDetail[];
	/** Without any of these it does nothing. */
	needsOneOf?: ApiDetail[];
	/** These it takes into account where they are filled in. */
	takes?: ApiDetail[];
}

const WAITING: ApiDetail[] = ['finishedStatuses', 'workflowEndpoint'];

/** By what a user wants to do; operations that need nothing but the interface are in it too. */
const USES: Use[] = [
	{
		operation: 'Extract From Files and Document › Upload, direct',
		needs: ['uploadFileField'],
		takes: ['documentIdField', ...WAITING],
	},
	{
		operation: 'Extract From Files and Document › Upload, by signed URL',
		needs: ['uploadUrlEndpoint', 'uploadUrlField', 'confirmMethod', 'confirmBody'],
		takes: ['uploadUrlBody', 'documentIdField', ...WAITING],
	},
	{
		operation: 'Create Upload URL',
		needs: ['uploadUrlEndpoint', 'uploadUrlField'],
		takes: ['uploadUrlBody', 'documentIdField'],
	},
	{ operation: 'Confirm Upload', needs: ['confirmMethod', 'confirmBody'] },
	{ operation: 'Extract Documents and Extract One Document', needs: [], takes: WAITING },
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
	},
];

/** What an API Detail is for, for the user who wonders whether to fill it in. */
export function purposeOf(detail: ApiDetail): string {
	const named = (uses: Use[]) => uses.map(({ operation }) => operation).join('; ');
	const needed = named(USES.filter(({ needs }) => needs.includes(detail)));
	const optional = named(
		USES.filter(({ needsOneOf = [], takes = [] }) => [...needsOneOf, ...takes].includes(detail)),
	);
	return [needed, optional && `optional for ${optional}`].filter(Boolean).join('; ');
}

/** Which operations run with what is filled in, and what the others lack. */
export function operationsByReadiness(credential: DocumentExtractionCredential): {
	ready: string[];
	lacking: string[];
} {
	const ready: string[] = [];
	const lacking: string[] = [];
	for (const use of USES) {
		const reasons = reasonsAgainst(credential, use);
		if (reasons.length === 0) ready.push(use.operation);
		else lacking.push(`${use.operation} (${reasons.join(', ')})`);
	}
	return { ready, lacking };
}

function reasonsAgainst(
	credential: DocumentExtractionCredential,
	{ needs, needsOneOf = [], takes = [] }: Use,
): string[] {
	const isEmpty = (detail: ApiDetail) => !hasDetail(credential, detail);
	const empty = needs.filter(isEmpty);
	const alternatives = needsOneOf.every(isEmpty) ? needsOneOf : [];
	const malformed = [...needs, ...needsOneOf, ...takes].filter(
		(detail) => problemOf(credential, detail) !== undefined,
	);
	return [
		...(empty.length > 0 ? [`needs ${labels(empty, ', ')}`] : []),
		...(alternatives.length > 0 ? [`needs ${labels(alternatives, ' or ')}`] : []),
		...(malformed.length > 0 ? [`correct ${labels(malformed, ', ')}`] : []),
	];
}

function labels(details: ApiDetail[], separator: string): string {
	return details.map((detail) => `'${API_DETAILS[detail].label}'`).join(separator);
}
