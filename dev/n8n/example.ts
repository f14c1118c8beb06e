import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from './workflow.ts';

const folder = new URL('../../examples/', import.meta.url);

/** What a user enters after the import, by the name of the node: parameters, or what they become. */
export type Entries = Record<
	string,
	INodeParameters | ((published: INodeParameters) => INodeParameters)
>;

export async function exampleNames(): Promise<string[]> {
	const files = await readdir(folder);
	return files.filter((file) => file.endsWith('.json')).map((file) => file.replace(/\.json$/, ''));
}

export const exampleFile = (name: string) => fileURLToPath(new URL(`${name}.json`, folder));

/** An example as it is published, with only the named parameters changed. */
export async function readExample(name: string, entries: Entries = {}): Promise<WorkflowFile> {
	const text = await readFile(exampleFile(name), 'utf8');
	const workflow = JSON.parse(text) as WorkflowFile;
	for (const [nodeName, entered] of Object.entries(entries)) {
		const node = workflow.nodes.find((candidate) => candidate.name === nodeName);
		if (!node) throw new Error(`The example ${name} has no node "${nodeName}".`);
		const { parameters } = node;
		Object.assign(parameters, typeof entered === 'function' ? entered(parameters) : entered);
	}
	return workflow;
}

/** Enters other values in an Edit Fields node. */
export const settings = (values: Record<string, string>) => (published: INodeParameters) => {
	const { assignments } = published.assignments as {
		assignments: Array<{ name: string; value: string }>;
	};
	const unknown = Object.keys(values).find((key) => !assignments.some(({ name }) => name === key));
	if (unknown) throw new Error(`These settings have no "${unknown}".`);
	const entered = assignments.map((one) => ({ ...one, value: values[one.name] ?? one.value }));
	return { assignments: { assignments: entered } };
};

/** Enters another text in place of one that the parameters have somewhere. */
export const replacing = (text: string, other: string) => (published: INodeParameters) =>
	JSON.parse(JSON.stringify(published).replaceAll(text, other)) as INodeParameters;
