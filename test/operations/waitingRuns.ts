import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { SIGNED_DETAILS } from '../../nodes/DocumentExtraction/account/apiDetails';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import type { RunOptions } from '../support/nodeEngine';
import type { useVirtualService } from '../support/useService';

export const letter = (number: number) =>
	textFile(`letter-${number}.txt`, `Invoice number: L-${number}\n`);

export const itemOf = async (...numbers: number[]): Promise<INodeExecutionData> =>
	await binaryItem({
		json: { numbers },
		files: Object.fromEntries(numbers.map((number) => [`file_${number}`, letter(number)])),
	});

/** The letters whose values stand in the output. */
export const numbersIn = (output: INodeExecutionData[]) =>
	new Set(JSON.stringify(output.map(({ json }) => json)).match(/L-\d/g));

export const ALL_LETTERS = new Set(['L-1', 'L-2', 'L-3']);

/** Extract Documents, which waits. */
export const extract = (documentIds: string[], others: INodeParameters = {}): INodeParameters => ({
	resource: 'extraction',
	operation: 'extractDocuments',
	documentIds: documentIds.join(','),
	wait: true,
	...others,
});

export const fromFiles = (options: INodeParameters): INodeParameters => ({
	binaryPropertyName: '*',
	simple: false,
	options,
});

/** What of the API Details is filled in, and by which reads the node can tell that it is over. */
export const SIGNS = [
	['the finished statuses of documents', {}, ['getDocuments', 'getExtractions']],
	['the workflow', { finishedStatuses: '' }, ['getExtractions', 'getWorkflow']],
	[
		'the results alone',
		{
			finishedStatuses: '',
			workflowEndpoint: '',
			...Object.fromEntries(SIGNED_DETAILS.map((detail) => [detail, ''])),
		},
		['getExtractions'],
	],
] as const;

export const BY_STATUSES = SIGNS[0][1];
export const BY_WORKFLOW = SIGNS[1][1];
export const BY_RESULTS = SIGNS[2][1];

/** Two items with three files. */
export const runWith =
	(used: ReturnType<typeof useVirtualService>) =>
	async (parameters: INodeParameters, credential = {}, settings: RunOptions = {}) =>
		await used.run(parameters, {
			items: [await itemOf(1, 2), await itemOf(3)],
			...settings,
			credential,
		});
