import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

export type Appearance = 'light' | 'dark';

const appearances: Appearance[] = ['light', 'dark'];

/** How long n8n takes to fade from one appearance into the other. */
const settleMs = 600;

/** What an earlier step was notified of. */
const withoutNotices = '.el-notification { visibility: hidden }';

/** A palette is a fifth of the size, and no eye sees the difference on an editor's few colours. */
const small = async (png: Buffer) => await sharp(png).png({ palette: true, effort: 10 }).toBuffer();

/** Shows the page as it is, in both of n8n's appearances, as `<name>.light.png` and `<name>.dark.png`. */
export async function takeScreenshots(page: Page, folder: string, name: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const appearance of appearances) {
		await page.emulateMedia({ colorScheme: appearance });
		await page.waitForTimeout(settleMs);
		await writeFile(
			join(folder, `${name}.${appearance}.png`),
			await small(await page.screenshot({ animations: 'disabled', style: withoutNotices })),
		);
	}
	await page.emulateMedia({ colorScheme: 'light' });
}
