import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../../test/support/service.ts';
import { startChromium } from '../machine/chromium.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { startN8n } from '../n8n/server.ts';
import { credentialFor, openStage } from '../n8n/stage.ts';
import type { N8nVersion } from '../n8n/versions.ts';
import { showServiceAt } from './address.ts';
import { EditorPage, windowSize } from './editorPage.ts';
import { type Scene, takeFilm } from './film.ts';
import { assertUpToDate, keepTexts, textsIn } from './pictureTexts.ts';
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

/**
 * What all cases share: one n8n, one simulated service, one browser window.
 * @param keepPictures whether the pictures replace those of the documentation
 */
export const openBrowserStage = async (version: N8nVersion, keepPictures: boolean) =>
	await openStage(async (keep) => {
		const workFolder = await temporaryFolder('invoices');
		const invoices = await copyInvoices(workFolder);
		const service = await keep(startService({ profile: 'atlas', extractionMs: 300 }));
		const n8n = await keep(
			startN8n({ version, env: { N8N_RESTRICT_FILE_ACCESS_TO: `${samples};${workFolder}` } }),
		);
		const browser = await startChromium();
		await keep({ stop: async () => await browser.close() });
		const context = await browser.newContext({
			viewport: windowSize,
			locale: 'en-GB',
			timezoneId: 'UTC',
			reducedMotion: 'reduce',
		});
		// Beside other tests, an editor that somebody opens may take a minute to draw its canvas.
		context.setDefaultTimeout(120_000);
		const editor = new EditorPage(await context.newPage(), n8n.url);
		await showServiceAt(editor.page, service.url);
		await editor.logIn(n8n.owner);
		const folder = keepPictures ? imagesFolder : await temporaryFolder('screenshots');
		let credential: Promise<SavedCredential> | undefined;
		const pictures: string[] = [];
		// The documentation shows the newest n8n.
		const isShown = version === 'newest';
		return {
			n8n,
			service,
			/** Made when it is first asked for: a newcomer has none. */
			credential: async () => await (credential ??= credentialFor(n8n, service)),
			editor,
			/** Files for pictures, which n8n may read; their folder is `workFolder`. */
			invoices,
			workFolder,
			/**
			 * For the documentation, light and dark.
			 * @throws AssertionError if the picture that is kept there shows other texts
			 */
			picture: async (name: string, subject: Subject) => {
				if (!isShown) return;
				pictures.push(...(await takeScreenshots(folder, name, subject)));
				const texts = await textsIn(subject);
				if (keepPictures) await keepTexts(name, texts);
				else await assertUpToDate(name, texts);
			},
			/** The same with several scenes, which are shown in turn. */
			film: async (name: string, scenes: Scene[]) => {
				if (isShown) pictures.push(...(await takeFilm(folder, name, scenes)));
			},
			/** Files of the pictures that were taken. */
			pictures,
		};
	});

export type Stage = Awaited<ReturnType<typeof openBrowserStage>>;

/** Registers tests with node:test. */
export type Case = (stage: Stage) => void;
