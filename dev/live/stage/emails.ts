import { basename } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import {
	chain,
	codeNode,
	extractionNode,
	manualTrigger,
	type NodeSettings,
	readFiles,
} from '../../n8n/workflow.ts';

export const emailsName = 'Values of email attachments';
export const emailsNode = 'As emails bring them';

// Runs inside n8n, where a builder can open it.
const asEmails = `// Two emails as a trigger delivers them: the first brings one file, the second the others.
const files = $input.all()
	.map(({ binary }) => binary.data)
	.sort((a, b) => a.fileName.localeCompare(b.fileName));

const email = (subject, attachments) => ({
	json: { from: { text: 'accounts@example.com' }, subject },
	binary: Object.fromEntries(attachments.map((file, index) => ['attachment_' + index, file])),
});

return [email('One document', files.slice(0, 1)), email('More documents', files.slice(1))];`;

/** Starts by hand; its items are emails whose attachments are the PDFs of a folder. */
export const emailNodes = (folder: string) => [
	manualTrigger,
	readFiles(`${folder}/*.pdf`, `Read ${basename(folder)}`),
	codeNode(emailsNode, asEmails),
];

/** The main job: attachments in, values out, in one node. */
export const emailsThrough = (
	folder: string,
	parameters: INodeParameters = {},
	settings?: NodeSettings,
) =>
	chain(emailsName, [
		...emailNodes(folder),
		extractionNode({ binaryPropertyName: 'attachment_*', ...parameters }, settings),
	]);
