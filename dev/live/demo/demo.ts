import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import { type Service, startService } from '../../../test/support/service.ts';
import { PROFILES } from '../../../test/support/serviceContract.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { readExample } from '../../n8n/example.ts';
import { succeeded } from '../../n8n/execution.ts';
import { type RunningN8n, startN8n } from '../../n8n/server.ts';
import { credentialFor, openStage } from '../../n8n/stage.ts';
import { chain, columnWidth, extractionNodeName, type WorkflowFile } from '../../n8n/workflow.ts';
import { accountWithResults, extractionMs } from '../stage/accounts.ts';
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

/** Without colours. */
const style = { head: [], border: [] };

/** A table of what the documents say, and whether the results have all of it. */
function tableOf(results: Row[]) {
	const table = new Table({ head: ['File', 'Column', 'Value'], style });
	let isComplete = true;
	for (const fileName of sampleNames) {
		const own = results.filter((row) => row.fileName === fileName);
		const findings = findingsIn(fileName, own);
		const columns = findings.map(({ column }) => column).join('\n');
		table.push([fileName, columns, findings.map(({ value }) => shown(value)).join('\n')]);
		isComplete &&= findings.every(({ value }) => value !== undefined);
	}
	return { text: table.toString(), isComplete };
}

/** What to type into new credentials, and into Check Setup, which finds the rest: a line for each account. */
function accountsText(services: Service[]): string {
	const head = ['Base URL', 'API Key', 'Service Workflow ID', 'OpenAPI Document'];
	const table = new Table({ head, style });
	for (const { url, owner, account } of services) {
		const { apiKey, workflowId } = owner('test');
		table.push([url, apiKey, workflowId, new URL(account.openApiUrl).pathname]);
	}
	return table.toString();
}

const whereToLook = ({ url, owner }: RunningN8n, exampleNames: string[], accounts: Service[]) => `
The editor runs at ${url}
  Sign in with ${owner.email} and the password: ${owner.password}
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
  Enter the first four fields and save; Workflow › Check Setup shows the rest. Environment is Test.
  n8n chooses the demo's own credential in the workflows: choose yours in "Extract values".
  These accounts differ in everything that Check Setup shows:
${accountsText(accounts)}

Press Ctrl-C here to stop everything.`;

/** Keeps everything running until Ctrl-C, with what a person needs to look around. */
async function showAround(n8n: RunningN8n, service: Service, credential: SavedCredential) {
	const accounts = await Promise.all(PROFILES.slice(1).map(accountWithResults));
	await prepareOwnFiles(ownFiles);
	const workflows = [await emailsToTable(samples)];
	for (const name of examples) workflows.push(inFolder(await readExample(name), ownFiles));
	for (const workflow of workflows) await n8n.importWorkflow(workflow, [credential]);
	const names = workflows.slice(1).map(({ name }) => name);
	console.log(whereToLook(n8n, names, [service, ...accounts]));
	await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
	console.log('\nStopping …');
	for (const account of accounts) await account.stop();
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
		const { text, isComplete } = tableOf(results.map(({ json }) => json));
		console.log(text);

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
