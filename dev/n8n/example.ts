import { readdir, readFile } from 'node:fs/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from './workflow.ts';

const folder = new URL('../../examples/', import.meta.url);

/** What a user enters after the import: parameters by the name of their node. */
export type Entries = Record<string, INodeParameters>;

export async function exampleNames(): Promise<string[]> {
	const files = await readdir(folder);
	return files.filter((file) => file.endsWith('.json')).map((file) => file.replace(/\.json$/, ''));
}

/** An example as it is published, with only the named parameters changed. */
export async function readExample(name: string, entries: Entries = {}): Promise<WorkflowFile> {
	const text = await readFile(new URL(`${name}.json`, folder), 'utf8');
	const workflow = JSON.parse(text) as WorkflowFile;
	for (const [nodeName, parameters] of Object.entries(entries)) {
		const node = workflow.nodes.find((candidate) => candidate.name === nodeName);
		if (!node) throw new Error(`The example ${name} has no node "${nodeName}".`);
		Object.assign(node.parameters, parameters);
	}
	return workflow;
}

/** The values of an Edit Fields node, as a user enters them. */
export async function settingsOf(
	name: string,
	values: Record<string, string>,
): Promise<INodeParameters> {
	const { nodes } = await readExample(name);
	const { assignments } = nodes.find((node) => node.name === 'Settings')?.parameters as {
		assignments: { assignments: Array<{ name: string; value: string }> };
	};
	const unknown = Object.keys(values).find(
		(key) => !assignments.assignments.some((entry) => entry.name === key),
	);
	if (unknown) throw new Error(`The Settings of the example ${name} have no "${unknown}".`);
	return {
		assignments: {
			assignments: assignments.assignments.map((entry) => ({
				...entry,
				value: values[entry.name] ?? entry.value,
			})),
		},
	};
}
