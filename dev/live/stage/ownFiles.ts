import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowFile } from '../../n8n/workflow.ts';
import { samples } from './samples.ts';

/** Where n8n's Docker image keeps files that workflows may use; the examples name it. */
const folderInExamples = '/home/node/.n8n-files';

/** A file that fails by itself: the service refuses it, so that the error output has something to show. */
export const brokenFile = 'transfer-interrupted.pdf';

/** A folder for the user's files, which stays; its `inbox` has the sample documents and the broken file. */
export async function prepareOwnFiles(folder: string) {
	for (const name of ['inbox', 'failed']) await mkdir(join(folder, name), { recursive: true });
	await cp(samples, join(folder, 'inbox'), { recursive: true, force: false });
	await writeFile(join(folder, 'inbox', brokenFile), 'The rest of this file was never received.\n');
}

/** An example that reads and writes the folder in place of the one that it names. */
export function inFolder(workflow: WorkflowFile, folder: string): WorkflowFile {
	const path = JSON.stringify(folder.replaceAll('\\', '/')).slice(1, -1);
	// Without a slash it is a note's words about Docker, which stay true.
	const text = JSON.stringify(workflow).replaceAll(`${folderInExamples}/`, `${path}/`);
	return JSON.parse(text) as WorkflowFile;
}
