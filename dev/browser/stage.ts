import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Service, startService } from '../../test/support/service.ts';
import { startChromium } from '../machine/chromium.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { type RunningN8n, startN8n } from '../n8n/server.ts';
import type { N8nVersion } from '../n8n/versions.ts';
import { credentialType } from '../n8n/workflow.ts';
import { showServiceAt } from './address.ts';
import { EditorPage, windowSize } from './editorPage.ts';
import { type Scene, takeFilm } from './film.ts';
import { type Subject, takeScreenshots } from './screenshots.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const samples = join(root, 'examples', 'files');
const imagesFolder = join(root, 'docs', 'images');

/**
 * For the pictures, in the order in which their rows are shown: every column finds its value, and no
 * total has more digits than a reader takes in.
 */
const invoiceFiles = [
	join(samples, 'invoice-harbour-supplies.pdf'),
	join(root, 'dev', 'browser', 'invoices', 'invoice-northway-haulage.pdf'),
	join(root, 'dev', 'browser', 'invoices', 'invoice-brightwell-packaging.pdf'),
];

async function copyInvoices(folder: string): Promise<string[]> {
	const copies = invoiceFiles.map((file) => join(folder, basename(file)));
	await Promise.all(invoiceFiles.map(async (file, index) => await copyFile(file, copies[index])));
	return copies;
}

/** What all cases share: one n8n, one simulated service, one browser window. */
export interface Stage {
	n8n: RunningN8n;
	service: Service;
	/** Made when it is first asked for: a newcomer has none. */
	credential(): Promise<SavedCredential>;
	editor: EditorPage;
	/** Files for pictures, which n8n may read; their folder is `workFolder`. */
	invoices: string[];
	workFolder: string;
	/** For the documentation, light and dark. */
	picture(name: string, subject: Subject): Promise<void>;
	/** The same with several scenes, which are shown in turn. */
	film(name: string, scenes: Scene[]): Promise<void>;
	/** Files of the pictures that were taken. */
	pictures: string[];
	close(): Promise<void>;
}

/** Registers tests with node:test. */
export type Case = (stage: Stage) => void;

export interface StageOptions {
	version: N8nVersion;
	/** Whether the pictures replace those of the documentation. */
	keepPictures: boolean;
}

export async function openStage({ version, keepPictures }: StageOptions): Promise<Stage> {
	const workFolder = await temporaryFolder('invoices');
	const invoices = await copyInvoices(workFolder);
	const [service, n8n, browser] = await Promise.all([
		startService({ profile: 'atlas', extractionMs: 300 }),
		startN8n({ version, env: { N8N_RESTRICT_FILE_ACCESS_TO: `${samples};${workFolder}` } }),
		startChromium(),
	]);
	let credential: Promise<SavedCredential> | undefined;
	const context = await browser.newContext({
		viewport: windowSize,
		locale: 'en-GB',
		timezoneId: 'UTC',
		reducedMotion: 'reduce',
	});
	context.setDefaultTimeout(30_000);
	const editor = new EditorPage(await context.newPage(), n8n.url);
	await showServiceAt(editor.page, service.url);
	await editor.logIn(n8n.owner);
	const folder = keepPictures ? imagesFolder : await temporaryFolder('screenshots');
	const pictures: string[] = [];
	return {
		n8n,
		service,
		credential: async () =>
			await (credential ??= n8n.createCredential(
				credentialType,
				'Document Extraction',
				service.credential(),
			)),
		editor,
		invoices,
		workFolder,
		picture: async (name, subject) => {
			// The documentation shows the newest n8n.
			if (version === 'newest') pictures.push(...(await takeScreenshots(folder, name, subject)));
		},
		film: async (name, scenes) => {
			if (version === 'newest') pictures.push(...(await takeFilm(folder, name, scenes)));
		},
		pictures,
		close: async () => {
			await browser.close();
			await n8n.stop();
			await service.stop();
		},
	};
}
