import { basename } from 'node:path';
import { chain, codeNode, extractionNode, manualTrigger } from '../n8n/workflow.ts';
import type { INodeParameters, INode } from 'n8n-workflow';

export const emailsNode = 'As emails bring them';

// Runs inside n8n, where a builder can open it.
const asEmails = `// Two emails, as an email trigger delivers them: the first brings one file, the second the others.
const files = $input.all()
	.map(({ binary }) => binary.data)
	.sort((a, b) => a.fileName.localeCompare(b.fileName));

const email = (subject, attachments) => ({
	json: { subject },
	binary: Object.fromEntries(attachments.map((file, index) => ['attachment_' + index, file])),
});

return [email('One document', files.slice(0, 1)), email('More documents', files.slice(1))];`;

/**
 * The main job: files of a folder, as an email trigger would bring them, go through one operation
 * of the node.
 */
export const emailsThrough = (
	folder: string,
	parameters: INodeParameters,
	settings?: Partial<INode>,
) =>
	chain('Values of email attachments', [
		manualTrigger,
		{
			name: `Read ${basename(folder)}`,
			type: 'n8n-nodes-base.readWriteFile',
			typeVersion: 1,
			parameters: { operation: 'read', fileSelector: `${folder}/*.pdf` },
		},
		codeNode(emailsNode, asEmails),
		extractionNode(parameters, settings),
	]);
