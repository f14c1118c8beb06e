import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Service, startService } from '../../../test/support/service.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { readExample } from '../../n8n/example.ts';
import { succeeded } from '../../n8n/execution.ts';
import { type RunningN8n, startN8n } from '../../n8n/server.ts';
import { credentialFor, openStage } from '../../n8n/stage.ts';
import { chain, columnWidth, extractionNodeName, type WorkflowFile } from '../../n8n/workflow.ts';
import { extractionMs } from '../stage/accounts.ts';
import { emailNodes, emailsName, emailsThrough } from '../stage/emails.ts';
import { brokenFile, inFolder, prepareOwnFiles } from '../stage/ownFiles.ts';
import { findingsIn, type Row, sampleNames, samples } from '../stage/samples.ts';

export interface DemoOptions {
	/** Ends after the tables. */
	once?: true;
	port: number;
}

const ownFiles = fileURLToPath(new URL('../../../demo-files', import.meta.url));

/** Those that need nothing but the service and a folder; the first writes a file. */
const examples = [
	'folder-of-pdfs',
	'form-upload',
	'keep-failed-files',
	'skip-duplicates',
	'nightly-results',
	'service-calls-when-done',
];

/** Not the example's own name: whoever imports that one, too, can tell them apart. */
const demoName = 'Demo: email attachments to a table';

/** Not the example's own table either: that one may get other columns. */
const demoTable = 'Demo documents';

const trigger = 'New email';

const note = `## ${demoName}
Each PDF that arrives by email becomes a row of an n8n data table, with the sender and the subject.

**In this demo** there is no mailbox: *New email* makes two emails of the sample documents.
Choose **Execute workflow**. The table *${demoTable}* is under **Data tables** on the overview page.

To use a credential of your own, choose it in *Extract values*; it needs the lines
*Upload File Field* and *Rows* in its *API Details*: Check Setup finds them.`;

/** The README's first example without a mailbox: one click creates the table and fills it from a folder. */
async function emailsToTable(folder: string): Promise<WorkflowFile> {
	const example = await readExample('email-attachments-to-table', {
		'Save row': { dataTableId: { __rl: true, mode: 'name', value: demoTable } },
	});
	const [start, readFiles, emails] = emailNodes(folder);
	const inFront = chain(demoName, [
		{ ...start, position: [-2 * columnWidth, 0] },
		{ ...readFiles, position: [-columnWidth, 0] },
		{ ...emails, name: trigger, position: [0, 0] },
	]);
	const kept = example.nodes
		.filter(({ name }) => name !== trigger)
		.map((node) =>
			node.name === 'Sticky note'
				? { ...node, parameters: { ...node.parameters, content: note } }
				: node,
		);
	return {
		...example,
		name: demoName,
		nodes: [...kept, ...inFront.nodes],
		connections: { ...example.connections, ...inFront.connections },
	};
}

const shown = (value: unknown) => {
	if (value === undefined) return 'MISSING';
	return Array.isArray(value) ? `${value.length} rows` : String(value);
};

const whereToLook = (n8n: RunningN8n, service: Service, exampleNames: string[]) => `
The editor runs at ${n8n.url}
  Sign in with ${n8n.owner.email} and the password: ${n8n.owner.password}
  Open the workflow "${demoName}", then choose "Execute workflow".
  The rows are in the table "${demoTable}", under "Data tables" on the overview page.
  A double click on "Extract values" shows its settings and its output.
  "${emailsName}" is the workflow that extracted the values above.

More examples are imported, with the credential filled in:
${exampleNames.map((name) => `    ${name}`).join('\n')}
  They use the folder ${ownFiles}/inbox
  The sample documents are in it; put your own PDFs there, too.
  The service refuses ${brokenFile}, which is no PDF: "Keep failed files" shows what becomes of it.
  "${exampleNames[0]}" writes ${ownFiles}/values.csv

To set up a credential yourself: Credentials › Create credential › Document Extraction API
  Enter these and save; Workflow › Check Setup shows the rest:
    Base URL             ${service.url}
    API Key              ${service.owner('test').apiKey}
    Service Workflow ID  ${service.owner('test').workflowId}
  n8n chooses the demo's own credential in the workflows: choose yours in "Extract values".

Press Ctrl-C here to stop everything.`;

/** Keeps everything running until Ctrl-C, with what a person needs to look around. */
async function showAround(n8n: RunningN8n, service: Service, credential: SavedCredential) {
	await prepareOwnFiles(ownFiles);
	const workflows = [await emailsToTable(samples)];
	for (const name of examples) workflows.push(inFolder(await readExample(name), ownFiles));
	for (const workflow of workflows) await n8n.importWorkflow(workflow, [credential]);
	const names = workflows.slice(1).map(({ name }) => name);
	console.log(whereToLook(n8n, service, names));
	await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
	console.log('\nStopping …');
}

/** Runs the main job, and leaves n8n open to look around; whether all values were found. */
export async function runDemo({ once: endsAtOnce, port }: DemoOptions): Promise<boolean> {
	console.log('Starting the simulated service and n8n …');
	const stage = await openStage(async (keep) => {
		const settings = { extractionMs, checksPdfs: true };
		const service = await keep(startService({ settings }));
		const env = { N8N_RESTRICT_FILE_ACCESS_TO: `${samples};${ownFiles}` };
		return { service, n8n: await keep(startN8n({ port, env })) };
	});
	const { n8n, service } = stage;
	try {
		if (new URL(n8n.url).port !== String(port)) {
			console.log(`Port ${port} is busy: the editor runs at ${n8n.url}`);
		}
		const credential = await credentialFor(n8n, service, 'Document Extraction account');
		const run = async (workflow: WorkflowFile) =>
			succeeded(await n8n.runManually(await n8n.importWorkflow(workflow, [credential])));

		console.log('Extracting values from the sample documents …\n');
		const results = (await run(emailsThrough(samples))).items(extractionNodeName);
		const found = results.map(({ json }): Row => json);
		const findings = sampleNames.flatMap((file) => {
			const own = found.filter(({ fileName }) => fileName === file);
			return findingsIn(file, own).map((finding) => ({ file, ...finding }));
		});
		console.table(
			findings.map(({ file, column, value }) => ({ file, column, value: shown(value) })),
		);
		const isComplete = findings.every(({ value }) => value !== undefined);

		if (!endsAtOnce) {
			await showAround(n8n, service, credential);
			return isComplete;
		}
		// Does what the print-out invites to.
		const rows = (await run(await emailsToTable(samples))).items('Save row').length;
		console.log(`\n"${demoName}" has written ${rows} rows to a data table.`);
		return isComplete && rows === sampleNames.length;
	} finally {
		await stage.close();
	}
}
