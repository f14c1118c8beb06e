import type { INodeProperties } from 'n8n-workflow';

import { DETAIL_GROUPS } from '../../api/details/labels';

/** An agent always gets results simplified, where the credential says how: it pays for each word. */
export const simplify: INodeProperties = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: `One item per document, with a field for each column. Needs the fields for values under '${DETAIL_GROUPS.responseFields.label}' in the credential.`,
	displayOptions: { show: { '@tool': [false] } },
};
