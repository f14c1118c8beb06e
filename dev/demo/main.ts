import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { INodeExecutionData } from 'n8n-workflow';
import { type Service, startService } from '../../test/support/service.ts';
import { PROFILES } from '../../test/support/profiles.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { readExample } from '../n8n/example.ts';
import { type RunningN8n, startN8n } from '../n8n/server.ts';
import { credentialType, extractionNodeName, type WorkflowFile } from '../n8n/workflow.ts';
import { accountsText, accountWithResults, extractionMs } from './accounts.ts';
import { emailsName, emailsThrough } from './emails.ts';
import { demoName, demoTable, emailsToTable } from './emailsToTable.ts';
import { findingsIn, nothingMissing } from './findings.ts';
import { findingsTable } from './findingsTable.ts';
import { brokenFile, inFolder, prepareOwnFiles } from './ownFiles.ts';

interface Options {
	once?: true;
	profile: Profile;
	port: number;
}

const samples = fileURLToPath(new URL('../../examples/files', import.meta.url));
const ownFiles = fileURLToPath(new URL('../../demo-files', import.meta.url));
const defaultPort = 5678;

/** Those that need nothing but the service and a folder; the first writes a file. */
const examples = [
	'folder-of-pdfs',
	'form-upload',
	'keep-failed-files',
	'skip-duplicates',
	'nightly-results',
	'service-calls-when-done',
];

function portNumber(text: string) {
	const port = Number(text);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) {
		throw new InvalidArgumentError('A port is a whole number from 1 to 65535.');
	}
	return port;
}

function readOptions(): Options {
	return new Command('npm run demo --')
		.description('Runs the main job in a real n8n, against a simulated service, on sample PDFs.')
		.option('--once', 'end after the tables; the exit code is 1 if a value is missing')
		.addOption(
			new Option('--profile <name>', "the simulated service's ways")
				.choices(PROFILES)
				.default('atlas'),
		)
		.option('--port <number>', "port of n8n's editor", portNumber, defaultPort)
		.parse()
		.opts<Options>();
}

async function extract(
	n8n: RunningN8n,
	credential: SavedCredential,
): Promise<INodeExecutionData[]> {
	const workflow = emailsThrough(samples, { binaryPropertyName: 'attachment_*' });
	return (await run(n8n, credential, workflow)).items(extractionNodeName);
}

async function run(n8n: RunningN8n, credential: SavedCredential, workflow: WorkflowFile) {
	const workflowId = await n8n.importWorkflow(workflow, [credential]);
	const execution = await n8n.runManually(workflowId);
	if (execution.status !== 'success') throw new Error(execution.errorMessage);
	return execution;
}

/** Does what the print-out invites to, and counts the rows of the table. */
async function fillTable(n8n: RunningN8n, credential: SavedCredential): Promise<number> {
	const rows = (await run(n8n, credential, await emailsToTable(samples))).items('Save row').length;
	console.log(`\n"${demoName}" has written ${rows} rows to a data table.`);
	return rows;
}

async function importExamples(n8n: RunningN8n, credential: SavedCredential) {
	await n8n.importWorkflow(await emailsToTable(samples), [credential]);
	const names: string[] = [];
	for (const name of examples) {
		const workflow = inFolder(await readExample(name), ownFiles);
		await n8n.importWorkflow(workflow, [credential]);
		names.push(workflow.name);
	}
	return names;
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
async function showAround(
	n8n: RunningN8n,
	service: Service,
	credential: SavedCredential,
	profile: Profile,
) {
	const others = await Promise.all(
		PROFILES.filter((name) => name !== profile).map(
			async (name) => await accountWithResults(name, samples),
		),
	);
	await prepareOwnFiles(ownFiles, samples);
	console.log(whereToLook(n8n, await importExamples(n8n, credential), [service, ...others]));
	await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
	console.log('\nStopping …');
	for (const other of others) await other.stop();
}

async function main(options: Options) {
	console.log('Starting the simulated service and n8n …');
	const service = await startService({ profile: options.profile, extractionMs });
	await service.control.settings({ checksPdfs: true });
	const n8n = await startN8n({
		port: options.port,
		env: { N8N_RESTRICT_FILE_ACCESS_TO: `${samples};${ownFiles}` },
	});

	if (new URL(n8n.url).port !== String(options.port)) {
		console.log(`Port ${options.port} is busy: the editor runs at ${n8n.url}`);
	}

	console.log('Extracting values from the sample documents …\n');
	const { columns } = service.account.environments.test.workflows.main;
	const credential = await n8n.createCredential(
		credentialType,
		'Document Extraction account',
		service.credential(),
	);
	const findings = await findingsIn(samples, columns, await extract(n8n, credential));
	console.log(findingsTable(findings));

	let isComplete = nothingMissing(findings);
	if (options.once) isComplete &&= (await fillTable(n8n, credential)) === findings.length;
	else await showAround(n8n, service, credential, options.profile);
	await n8n.stop();
	await service.stop();
	return isComplete ? 0 : 1;
}

process.exitCode = await main(readOptions());
