/** Flows with this node. */
import {
	chain,
	extractionNode,
	extractionNodeName,
	readFiles,
	webhook,
	type WorkflowNode,
} from '../../n8n/workflow.ts';
import { countOf, type Flow, openFlow, type Place } from './flow.ts';

export type UploadKind = 'direct' | 'signed';

const filesOf = (folder: string) => readFiles(`${folder}/*`, 'Files');

const open = async (place: Place, nodes: WorkflowNode[]): Promise<Flow> =>
	await openFlow(place, (path) => chain(path, [webhook(path), ...nodes]), [extractionNodeName]);

export async function ourUpload(place: Place, folder: string, uploadMethod: UploadKind) {
	const parameters = { resource: 'document', operation: 'upload', options: { uploadMethod } };
	const node = extractionNode(parameters);
	return await open(place, [filesOf(folder), node]);
}

export async function ourExtraction(place: Place, folder: string) {
	const parameters = { resource: 'extraction', operation: 'extractFromFiles', simple: false };
	const node = extractionNode({ ...parameters, options: { uploadMethod: 'direct' } });
	return await open(place, [filesOf(folder), node, countOf('documentId')]);
}

export async function ourRows(place: Place) {
	const parameters = { resource: 'extraction', operation: 'getAll', simple: false };
	const node = extractionNode({ ...parameters, returnAll: true });
	return await open(place, [node, countOf('document_id')]);
}
