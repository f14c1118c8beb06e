/** Flows of n8n's own nodes, as n8n exports them: the JSON files beside this one. */
import { readFile } from 'node:fs/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from '../../n8n/workflow.ts';
import type { Account } from '../../n8n/stage.ts';
import { openFlow, type Place } from './flow.ts';
import type { UploadKind } from './own.ts';

/** They stand before and behind the job. */
const around = ['Webhook', 'Files', 'Count'];

type CoreFlow = 'extract-direct' | 'extract-signed' | 'rows';

const read = async (name: string) =>
	JSON.parse(await readFile(new URL(`${name}.json`, import.meta.url), 'utf8')) as WorkflowFile;

/** The flow for direct uploads, with the nodes for signed ones in the place of its one for direct ones. */
async function withSignedUploads(direct: WorkflowFile): Promise<WorkflowFile> {
	const signed = await read('signed-upload');
	const others = only(direct, (name) => name !== 'Upload');
	const flow: WorkflowFile = {
		...direct,
		name: 'Core nodes, signed upload',
		nodes: direct.nodes.flatMap((node) => (node.name === 'Upload' ? signed.nodes : [node])),
		connections: { ...others.connections, ...signed.connections },
	};
	// Extract takes the IDs from the node that has them.
	const text = JSON.stringify(flow).replaceAll("$('Upload')", "$('Files with URLs')");
	return JSON.parse(text) as WorkflowFile;
}

/** Of the profile `atlas`, which the benchmarks run against. */
export async function readCoreFlow(name: CoreFlow, { service }: Account) {
	const flow = await read(name === 'rows' ? 'rows' : 'extract');
	const text = JSON.stringify(name === 'extract-signed' ? await withSignedUploads(flow) : flow);
	const { id } = service.account.environments.test.workflows.main;
	const address = `${service.url}/api/v1/workflows/${id}`;
	return ({ path, folder }: { path: string; folder: string }) =>
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

async function open(
	place: Place,
	name: CoreFlow,
	folder: string,
	adapted: (whole: WorkflowFile) => WorkflowFile = (whole) => whole,
) {
	const flow = await readCoreFlow(name, place.account);
	const workflow = (path: string) => adapted(flow({ path, folder }));
	const names = workflow('').nodes.map((node) => node.name);
	return await openFlow(
		place,
		workflow,
		names.filter((node) => !around.includes(node)),
	);
}

/**
 * One HTTP Request node, or for signed uploads the nodes for URL, PUT and confirmation.
 * @param options of the nodes that send requests for files: all at once, unless these say otherwise
 */
export const coreUpload = async (
	place: Place,
	folder: string,
	kind: UploadKind,
	options: INodeParameters = {},
) =>
	await open(place, `extract-${kind}`, folder, (whole) => {
		const workflow = upTo(kind === 'direct' ? 'Upload' : 'Confirm', whole);
		for (const node of workflow.nodes) {
			if (['Upload', 'Create URL', 'Put'].includes(node.name)) node.parameters.options = options;
		}
		return workflow;
	});

export const coreExtraction = async (place: Place, folder: string, kind: UploadKind) =>
	await open(place, `extract-${kind}`, folder);

export const coreRows = async (place: Place) => await open(place, 'rows', '');
