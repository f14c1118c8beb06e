/** Which operations need which API Details. */
import type { DocumentExtractionCredential } from '../credential';
import { hasDetail } from './detail';
import { API_DETAILS, type ApiDetail } from './labels';

const SIGNED: ApiDetail[] = ['uploadUrlEndpoint', 'uploadUrlField', 'confirmMethod', 'confirmBody'];

interface Use {
	/** As the node's panel names it. */
	operation: string;
	/** Without these it does not run. */
	needs: ApiDetail[];
	/** These it takes into account where they are filled in. */
	takes?: ApiDetail[];
}

const WAITING: ApiDetail[] = ['finishedStatuses', 'workflowEndpoint'];
const RESULTS: ApiDetail[] = ['valuesField', 'columnNameField', 'columnValueField'];

/** By what a user wants to do; operations that need nothing but the interface are in it too. */
export const USES: Use[] = [
	{
		operation: 'Extraction › Extract From Files, Document › Upload (direct)',
		needs: ['uploadFileField'],
		takes: ['documentIdField', ...WAITING],
	},
	{
		operation: 'Extraction › Extract From Files, Document › Upload (signed URL)',
		needs: SIGNED,
		takes: ['uploadUrlBody', 'documentIdField', ...WAITING],
	},
	{ operation: 'Document › Create Upload URL', needs: ['uploadUrlEndpoint', 'uploadUrlField'] },
	{ operation: 'Document › Confirm Upload', needs: ['confirmMethod', 'confirmBody'] },
	{
		operation: 'Extraction › Extract Documents, Extract One Document',
		needs: [],
		takes: WAITING,
	},
	{ operation: 'Extraction › Get Many', needs: [] },
	{ operation: 'Document › Get Many', needs: [] },
	{ operation: 'Collection › Merge Documents', needs: [] },
	{ operation: 'Workflow › Get, Wait Until Extracted', needs: ['workflowEndpoint'] },
	{ operation: 'Lists of collections and columns', needs: ['workflowEndpoint'] },
	{ operation: 'Simplify', needs: [], takes: RESULTS },
];

/** What an API Detail is for, for the user who wonders whether to fill it in. */
export function usesOf(detail: ApiDetail): { neededFor: string[]; optionalFor: string[] } {
	const named = (uses: Use[]) => uses.map(({ operation }) => operation);
	return {
		neededFor: named(USES.filter(({ needs }) => needs.includes(detail))),
		optionalFor: named(USES.filter(({ takes }) => takes?.includes(detail))),
	};
}

/** Which operations run with what is filled in, and what the others lack. */
export function operationsByReadiness(credential: DocumentExtractionCredential): {
	ready: string[];
	lacking: string[];
} {
	const ready: string[] = [];
	const lacking: string[] = [];
	for (const { operation, needs } of USES) {
		const missing = needs.filter((detail) => !hasDetail(credential, detail));
		if (missing.length === 0) ready.push(operation);
		else {
			const labels = missing.map((detail) => `'${API_DETAILS[detail].label}'`);
			lacking.push(`${operation}: ${labels.join(', ')}`);
		}
	}
	return { ready, lacking };
}
