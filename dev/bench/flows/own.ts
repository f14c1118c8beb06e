/** Flows with this node. */
import {
	chain,
	extractionNode,
	extractionNodeName,
	readFiles,
	webhook,
	type WorkflowNode,
} from '../../n8n/workflow.ts';
import { type Flow, type Job, openFlow, type Place } from './flow.ts';

export type UploadKind = 'direct' | 'signed';

const filesNode = 'Files';
const filesOf = (folder: string) => readFiles(`${folder}/*`, filesNode);

/** How many different values the items have in a field: whether all results have arrived, each once. */
const countOf = (field: string): WorkflowNode => ({
	name: 'Count',
	type: 'n8n-nodes-base.summarize',
	typeVersion: 1.1,
	parameters: {
		fieldsToSummarize: { values: [{ aggregation: 'countUnique', field }] },
		options: {},
	},
});

const open = async (place: Place, nodes: WorkflowNode[], job: Partial<Job> = {}): Promise<Flow> =>
	await openFlow(place, (path) => chain(path, [webhook(path), ...nodes]), {
		first: extractionNodeName,
		last: extractionNodeName,
		nodes: 1,
		...job,
	});

export async function ourUpload(place: Place, folder: string, uploadMethod: UploadKind) {
	const node = extractionNode({ resource: 'document', operation: 'upload', uploadMethod });
	return await open(place, [filesOf(folder), node]);
}

export async function ourExtraction(place: Place, folder: string, uploadMethod: UploadKind) {
	const parameters = { resource: 'extraction', operation: 'extractFromFiles', simple: false };
	const node = extractionNode({ ...parameters, uploadMethod });
	return await open(place, [filesOf(folder), node, countOf('documentId')]);
}

export async function ourRows(
	place: Place,
	{ limit, savesExecutions }: { limit?: number; savesExecutions?: boolean } = {},
) {
	const wanted = limit === undefined ? { returnAll: true } : { returnAll: false, limit };
	const parameters = { resource: 'extraction', operation: 'getAll', simple: false, ...wanted };
	const nodes = [extractionNode(parameters), countOf('document_id')];
	return await open(place, nodes, { savesExecutions });
}

/** Reads the files of a folder, and nothing more. */
export const onlyRead = async (place: Place, folder: string) =>
	await open(place, [filesOf(folder)], { first: filesNode, last: filesNode });
