import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { type Service, startService } from '../../../test/support/service.ts';
import type { Profile } from '../../../test/support/serviceContract.ts';
import { startChromium } from '../../machine/chromium.ts';
import { startMailbox } from '../../machine/mailbox.ts';
import { startMailServer } from '../../machine/mailServer.ts';
import { temporaryFolder } from '../../machine/temporaryFolder.ts';
import { until } from '../../machine/until.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { type Entries, readExample } from '../../n8n/example.ts';
import { succeeded } from '../../n8n/execution.ts';
import {
	joinN8n,
	type N8nOptions,
	type RunningN8n,
	type StartedN8n,
	startN8n,
} from '../../n8n/server.ts';
import { credentialFor, type Keep, openStage } from '../../n8n/stage.ts';
import type { N8nVersion } from '../../n8n/versions.ts';
import {
	chain,
	extractionNode,
	manualTrigger,
	readFiles,
	type WorkflowFile,
} from '../../n8n/workflow.ts';
import type { Operation } from '../../service/operations.ts';
import { EditorPage, windowSize } from '../editor/editorPage.ts';
import { PictureBook } from '../editor/pictures.ts';
import { inFolder } from './ownFiles.ts';
import { samples } from './samples.ts';

export interface Needs {
	/** It runs once with each of the service's accounts, whose API Details differ. */
	everyProfile?: true;
	/** The service is behind TLS, which the live environment insists on; n8n trusts its certificate. */
	tls?: true;
	/** The n8ns that it says something about; all, if left out. */
	n8n?: readonly N8nVersion[];
	/** It starts n8ns itself. */
	ownN8n?: true;
}

export interface Case {
	title: string;
	needs: Needs;
	run: (stage: Stage) => Promise<void>;
}

export interface RunOptions {
	n8n: N8nVersion;
	/** The address of an n8n that runs already, in place of one that is started. */
	at?: string;
	/** Whether the screenshots replace those of the documentation. */
	pictures?: true;
}

/** Why an n8n that was not started here cannot show the case, if so. */
export function whyNotAt({ at }: RunOptions, { tls, ownN8n }: Needs) {
	if (at && tls) return 'That n8n does not trust the certificate of the simulated service.';
	if (at && ownN8n) return 'It starts n8ns itself.';
	return undefined;
}

/** Of its owner; an n8n that has none yet gets the one of all tests. */
function loginAt() {
	const { N8N_EMAIL: email, N8N_PASSWORD: password } = process.env;
	return email && password ? { email, password } : undefined;
}

const said: Case[] = [];

/**
 * Says a case: what is true in a real n8n. It fails if `run` throws. Before it runs, the service is
 * emptied; what it keeps on its stage is stopped after it.
 */
export function live(title: string, ...rest: [Case['run']] | [Needs, Case['run']]) {
	const [needs, run] = rest.length === 2 ? rest : [{}, rest[0]];
	said.push({ title, needs, run });
}

/** The cases of a group, by the names of their files. */
export async function casesOf(group: string): Promise<Map<string, Case[]>> {
	const folder = new URL(`../${group}/`, import.meta.url);
	const cases = new Map<string, Case[]>();
	for (const file of (await readdir(folder)).sort()) {
		await import(new URL(file, folder).href);
		cases.set(file.replace(/\.ts$/, ''), said.splice(0));
	}
	return cases;
}

async function openEditor(keep: Keep, n8n: RunningN8n) {
	const { browser } = await keep(startChromium());
	const context = await browser.newContext({
		viewport: windowSize,
		locale: 'en-GB',
		timezoneId: 'UTC',
		reducedMotion: 'reduce',
	});
	// Beside other tests, an editor that somebody opens may take a minute to draw its canvas.
	context.setDefaultTimeout(120_000);
	const editor = new EditorPage(await context.newPage(), n8n.url);
	await editor.logIn(n8n.owner);
	return editor;
}

/** What a case has: an n8n with the package, a service that is empty, and a folder. */
function stageIn<N8n extends RunningN8n>(
	n8n: N8n,
	service: Service,
	ownFolder: string,
	keep: Keep,
) {
	let made: Promise<SavedCredential> | undefined;
	const credential = async () => await (made ??= credentialFor(n8n, service));
	const importWorkflow = async (workflow: WorkflowFile, others: SavedCredential[] = []) =>
		await n8n.importWorkflow(workflow, [await credential(), ...others]);
	const importExample = async (name: string, entries?: Entries, others?: SavedCredential[]) =>
		await importWorkflow(inFolder(await readExample(name, entries), ownFolder), others);
	const attempt = async (workflow: WorkflowFile, others?: SavedCredential[]) =>
		await n8n.runManually(await importWorkflow(workflow, others));
	const run = async (workflow: WorkflowFile | string, trigger?: string) => {
		const id = typeof workflow === 'string' ? workflow : await importWorkflow(workflow);
		return succeeded(await n8n.runManually(id, { trigger }));
	};
	const activate = async (workflowId: string) => {
		await n8n.activate(workflowId);
		// An n8n that was killed meanwhile has nothing to end.
		await keep({ stop: async () => await n8n.deactivate(workflowId).catch(() => undefined) });
	};
	/** An execution of a workflow that something else than the case starts: the first, or the given one. */
	const executionOf = async (workflowId: string, ordinal = 1) => {
		const started = async () => {
			// Those that the workflow itself has called as a sub-workflow are gone when they end.
			const all = await n8n.executionsOf(workflowId);
			return all.filter(({ mode }) => mode !== 'integrated').at(-ordinal)?.id;
		};
		return await n8n.execution(await until(started));
	};
	const openMailbox = async () => {
		const mailbox = await keep(startMailbox());
		return { ...mailbox, account: await n8n.createCredential('imap', 'IMAP', mailbox.credential) };
	};
	return {
		n8n,
		service,
		workflow: service.account.environments.test.workflows.main,
		/** In it, `inbox` holds the sample documents, and `failed` and `kept` are empty. */
		folder: ownFolder,
		/** Stops something after the case. */
		keep,
		/** For the service; made when it is first asked for. */
		credential,
		importWorkflow,
		/** Its folder is that of the case. */
		importExample,
		/** Runs a workflow by hand, however it ends. */
		attempt,
		/** Runs a workflow, or one that was imported, by hand; fails unless it succeeds. */
		run,
		/** Runs the node alone, on documents of the inbox if it is told which. */
		prepare: async (parameters: INodeParameters, files?: string) => {
			const read = files ? [readFiles(`${ownFolder}/inbox/${files}`)] : [];
			return await run(chain('Prepared', [manualTrigger, ...read, extractionNode(parameters)]));
		},
		/** Publishes a workflow until the case ends. */
		activate,
		executionOf,
		/** The service answers 400 to requests of this operation, once unless said otherwise. */
		refuse: async (
			operation: Operation,
			detail: string,
			{ skip, times = 1 }: { skip?: number; times?: number } = {},
		) =>
			await service.control.faults([
				{
					match: { operation, skip, times },
					fault: { type: 'status', status: 400, body: { detail } },
				},
			]),
		openMailbox,
		/** An example that sends emails: the workflow, and what it sends. */
		importMailing: async (name: string, entries?: Entries) => {
			const { credential: login, ...server } = await keep(startMailServer());
			const account = await n8n.createCredential('smtp', 'SMTP', login);
			return { ...server, workflow: await importExample(name, entries, [account]) };
		},
		/** An example that begins with an email: what becomes of each email. */
		onEmails: async (name: string, entries?: Entries) => {
			const mailbox = await openMailbox();
			const workflow = await importExample(name, entries, [mailbox.account]);
			await activate(workflow);
			await mailbox.untilOpened();
			let executions = 0;
			return async (mail: Parameters<typeof mailbox.deliver>[0]) => {
				await mailbox.deliver({ from: 'supplier@example.com', text: 'Hello', ...mail });
				return succeeded(await executionOf(workflow, ++executions));
			};
		},
		/** A page in a browser of its own. */
		openPage: async () => await (await keep(startChromium())).browser.newPage(),
	};
}

export type StageInN8n<N8n extends RunningN8n = RunningN8n> = ReturnType<typeof stageIn<N8n>>;

/** What all cases of a run share. */
export const openRun = async ({ n8n: version, at, pictures }: RunOptions) =>
	await openStage(async (keep) => {
		const folder = await temporaryFolder('live');
		const secure = await keep(startService({ tls: true }));
		const startIn = async ({ env, ...options }: N8nOptions = {}) =>
			await startN8n({
				version,
				...options,
				env: {
					N8N_RESTRICT_FILE_ACCESS_TO: `${samples};${folder}`,
					NODE_EXTRA_CA_CERTS: String(secure.caFile),
					...env,
				},
			});
		const n8n: RunningN8n = await keep(at ? joinN8n(at, version, loginAt()) : startIn());
		const services: Partial<Record<Profile, Promise<Service>>> = {};
		let editor: Promise<EditorPage> | undefined;
		const book = new PictureBook(pictures);
		let cases = 0;
		return {
			book,
			openCase: async ({ tls }: Needs, profile: Profile) =>
				await openStage(async (keepHere) => {
					const service = tls
						? secure
						: await (services[profile] ??= keep(startService({ profile })));
					await service.control.reset();
					const ownFolder = join(folder, String(++cases));
					await cp(samples, join(ownFolder, 'inbox'), { recursive: true });
					for (const name of ['failed', 'kept']) await mkdir(join(ownFolder, name));
					return {
						...stageIn(n8n, service, ownFolder, keepHere),
						profile,
						/** The same stage in an n8n that is started otherwise, and may read the same files. */
						inN8n: async (options: N8nOptions): Promise<StageInN8n<StartedN8n>> =>
							stageIn(await keepHere(startIn(options)), service, ownFolder, keepHere),
						/** n8n's editor in a browser: that of the n8n given, or the one that all cases share. */
						openEditor: async (other?: RunningN8n) =>
							await (other ? openEditor(keepHere, other) : (editor ??= openEditor(keep, n8n))),
						/** Takes pictures for the documentation. */
						book,
					};
				}),
		};
	});

export type Stage = Awaited<ReturnType<Awaited<ReturnType<typeof openRun>>['openCase']>>;
