/** Flows of n8n's own nodes, as n8n exports them: `<name>.json` beside this file. */
import { readFile } from 'node:fs/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { NodeSettings, WorkflowFile } from '../../n8n/workflow.ts';
import type { Account } from '../../n8n/stage.ts';
import { type Flow, openFlow, type Place } from './flow.ts';
import type { UploadKind } from './own.ts';

/** They stand before and behind the job. */
const around = ['Webhook', 'Files', 'Count'];

interface Values {
	path: string;
	folder: string;
}

/** Of the profile `atlas`, which the benchmarks run against. */
export async function readCoreFlow(
	name: 'extract-direct' | 'extract-signed' | 'rows',
	{ service }: Account,
) {
	const text = await readFile(new URL(`${name}.json`, import.meta.url), 'utf8');
	const { id } = service.account.environments.test.workflows.main;
	const address = `${service.url}/api/v1/workflows/${id}`;
	return ({ path, folder }: Values) =>
		JSON.parse(
			text
				.replaceAll('{address}', address)
				.replaceAll('{path}', path)
				.replaceAll('{folder}', folder),
		) as WorkflowFile;
}

/** A flow with some of its nodes. */
function only(
	{ nodes, connections, ...workflow }: WorkflowFile,
	isKept: (name: string) => boolean,
): WorkflowFile {
	const inside = Object.entries(connections).flatMap(([name, { main }]) => {
		const outputs = main.map((output) => output?.filter(({ node }) => isKept(node)) ?? []);
		return isKept(name) ? [[name, { main: outputs }] as const] : [];
	});
	return {
		...workflow,
		nodes: nodes.filter(({ name }) => isKept(name)),
		connections: Object.fromEntries(inside),
	};
}

/** The beginning of a flow whose nodes stand in their order. */
function upTo(last: string, workflow: WorkflowFile): WorkflowFile {
	const names = workflow.nodes.map(({ name }) => name);
	const kept = names.slice(0, names.indexOf(last) + 1);
	return only(workflow, (name) => kept.includes(name));
}

/** Without what calls the flow and counts its results. */
export const withoutFrame = (workflow: WorkflowFile) =>
	only(workflow, (name) => name !== 'Webhook' && name !== 'Count');

const jobNodes = ({ nodes }: WorkflowFile) => nodes.filter(({ name }) => !around.includes(name));

async function open(place: Place, workflow: (path: string) => WorkflowFile) {
	const nodes = jobNodes(workflow('')).map(({ name }) => name);
	return await openFlow(place, workflow, {
		first: nodes[0],
		last: nodes[nodes.length - 1],
		nodes: nodes.length,
	});
}

/**
 * One HTTP Request node, or for signed uploads the nodes for URL, PUT and confirmation.
 * @param options of the nodes that send requests for files: all at once, unless these say otherwise
 */
export async function coreUpload(
	place: Place,
	folder: string,
	kind: UploadKind,
	options: INodeParameters = {},
	settings: NodeSettings = {},
): Promise<Flow> {
	const flow = await readCoreFlow(`extract-${kind}`, place.account);
	return await open(place, (path) => {
		const whole = flow({ path, folder });
		const workflow = upTo(kind === 'direct' ? 'Upload' : 'Confirm', whole);
		for (const node of workflow.nodes) {
			if (!['Upload', 'Create URL', 'Put'].includes(node.name)) continue;
			Object.assign(node, settings, { parameters: { ...node.parameters, options } });
		}
		return workflow;
	});
}

export async function coreExtraction(place: Place, folder: string, kind: UploadKind) {
	const flow = await readCoreFlow(`extract-${kind}`, place.account);
	return await open(place, (path) => flow({ path, folder }));
}

export async function coreRows(place: Place) {
	const flow = await readCoreFlow('rows', place.account);
	return await open(place, (path) => flow({ path, folder: '' }));
}

/** Batching as the options of HTTP Request have it: it waits between batches, not for them. */
export const batching = (batchSize: number, batchInterval: number): INodeParameters => ({
	batching: { batch: { batchSize, batchInterval } },
});
