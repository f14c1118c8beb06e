/** Parts of profiles: what drawn accounts do otherwise than those that they are based on. */
import { tokenBucket } from '../rateLimit.ts';
import type { ApiDetails, Profile } from './profile.ts';
import { text } from './schemas.ts';

/** IDs that are numbers, and IDs that need encoding in a path. */
export const awkwardIds = ({ ids, idSchemas }: Profile) => ({
	ids: {
		...ids,
		workflow: (digits: string) => String(parseInt(digits.slice(0, 10), 16)),
		column: (_digits: string, position: number) => 101 + position,
		document: (digits: string) => `inbox/${digits.slice(0, 10)}:${digits.slice(10, 12)}`,
	},
	idSchemas: {
		...idSchemas,
		document: text,
		column: { type: ['integer', 'string'], pattern: '^\\d+$' },
	},
});

/** Refuses in few words, and without saying for how long. */
export const terse: Pick<Profile, 'rate' | 'denied' | 'rateLimited' | 'invalid'> = {
	rate: { createLimiter: tokenBucket, windowMs: 60_000, retryAfter: 'none' },
	denied: (reason, scope) => ({
		status: 401,
		body: { message: reason === 'missingScope' ? `Required: ${scope}` : 'Unauthorized' },
	}),
	rateLimited: () => ({ status: 429, contentType: 'text/plain', body: 'Too Many Requests' }),
	invalid: (entries) => entries,
};

/** API Details in which methods are others, and a workflow is in the body in place of the path. */
export const otherEndpoints: ApiDetails = {
	workflowEndpoint: 'POST /describe/workflow/{workflow_id}',
	uploadUrlEndpoint: 'POST /sign',
	uploadUrlBody: JSON.stringify({
		workflow: '{workflow_id}',
		object: { title: '{file_name}', type: '{content_type}', bytes: '{file_size}' },
	}),
	confirmMethod: 'PATCH',
	confirmBody: JSON.stringify({ files: [{ id: '{document_id}', state: 'complete' }] }),
};

/** What a storage as Azure's asks for in a PUT. */
export const azureHeaders = { 'x-ms-blob-type': 'BlockBlob' };

/** The merged document has an address at the API, which needs the key. */
export const linkedMerge: Profile['merge'] = {
	labelOrderSchema: { type: ['object', 'null'], additionalProperties: { type: 'integer' } },
	labels: (labelOrder: Record<string, number>) =>
		Object.entries(labelOrder)
			.sort(([, first], [, second]) => first - second)
			.map(([label]) => label),
	labelOf: (document) => document.id,
	urlField: 'payload.download.url',
	answer: ({ apiUrl, fileName }) => ({
		status: 200,
		body: { payload: { download: { url: apiUrl, name: fileName } } },
	}),
};
