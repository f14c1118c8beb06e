/** Several pictures on one page, which follows the appearance as the editor does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { encode } from 'html-entities';
import type { BrowserContext, Page } from 'playwright-core';
import { temporaryFolder } from '../../machine/temporaryFolder.ts';
import { type Subject, takeScreenshots } from './screenshots.ts';

const asUrl = (png: Buffer) => `data:image/png;base64,${png.toString('base64')}`;

/** An element of HTML for a picture of the editor, light and dark, with the texts that can be read in it. */
export async function partOf(name: string, subject: Subject, width: number): Promise<string> {
	const folder = await temporaryFolder('parts');
	await takeScreenshots(folder, name, subject);
	const [light, dark] = await Promise.all(
		['light', 'dark'].map(async (appearance) =>
			asUrl(await readFile(join(folder, `${name}.${appearance}.png`))),
		),
	);
	const texts = await Promise.all(
		subject.elements.map(async (element) => await element.innerText()),
	);
	const alt = encode(texts.join(' · '));
	return [
		`<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}">`,
		`<img src="${light}" alt="${alt}" width="${width}"></picture>`,
	].join('');
}

/** The first page of a PDF, at twice the usual resolution. */
export async function imageOfPage(pdf: string, width: number): Promise<string> {
	const args = ['-png', '-singlefile', '-r', '144', pdf];
	const { stdout } = await execa('pdftoppm', args, { encoding: 'buffer' });
	return `<img src="${asUrl(Buffer.from(stdout))}" width="${width}">`;
}

const style = `
:root { color-scheme: light dark; --ground: #f5f5f5; --ink: #2b2f36; --edge: #d5d8dd; }
@media (prefers-color-scheme: dark) { :root { --ground: #1b1b1d; --ink: #e6e6e8; --edge: #3a3a3e; } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 600 15px 'Open Sans', sans-serif; }
#frame { display: inline-block; padding: 20px; background: var(--ground); }
img { display: block; }
`;

/** Opens a page that shows HTML in an element with the ID `frame`. */
export async function openComposed(
	context: BrowserContext,
	css: string,
	html: string,
): Promise<Page> {
	const page = await context.newPage();
	await page.setViewportSize({ width: 1400, height: 1200 });
	await page.setContent(`<style>${style}${css}</style><div id="frame">${html}</div>`);
	return page;
}
