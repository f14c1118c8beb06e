import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';

export const appearances = ['light', 'dark'] as const;

export interface Subject {
	/** The picture ends where these end. */
	elements: Locator[];
	/** What contains all that is seen, if the elements are only its corners. */
	within?: Locator;
	/** Around them, in pixels of CSS. */
	margin?: number;
}

/** Pixels of a picture for each of the page: as screens of today have them. */
const scale = 2;

/** How long n8n takes to fade from one appearance into the other. */
const settleMs = 600;

/**
 * What an earlier step was notified of, the button that waits beside each trigger, and what follows
 * the last node of a row, which the edge of the picture would cut.
 */
const hidden = [
	'.el-notification',
	'[data-test-id^="execute-workflow-button-"]',
	'[data-test-id="canvas-handle-plus-wrapper"]',
	'[class*="_runDataLabel_"]',
];
const style = `
:is(${hidden.join(', ')}) { visibility: hidden !important }
/* n8n's window for credentials would hide what is below its edge. */
[data-test-id="editCredential-modal"] { height: 96% !important; max-height: none !important }
`;

/** A palette is a fifth of the size, and no eye sees the difference on an editor's few colours. */
const small = async (png: Buffer) => await sharp(png).png({ palette: true, effort: 10 }).toBuffer();

async function frameAround(page: Page, elements: Locator[], margin: number) {
	const boxes = await Promise.all(
		elements.map(async (element) => {
			const box = await element.boundingBox();
			if (!box) throw new Error(`There is no ${String(element)} to be seen.`);
			return box;
		}),
	);
	const x = Math.round(Math.min(...boxes.map((box) => box.x)) - margin);
	const y = Math.round(Math.min(...boxes.map((box) => box.y)) - margin);
	const right = Math.round(Math.max(...boxes.map((box) => box.x + box.width)) + margin);
	const bottom = Math.round(Math.max(...boxes.map((box) => box.y + box.height)) + margin);
	const window = page.viewportSize();
	if (x < 0 || y < 0 || !window || right > window.width || bottom > window.height) {
		throw new Error(`What is to be seen ends at ${right}, ${bottom}, outside the window.`);
	}
	return { x, y, width: right - x, height: bottom - y };
}

/** Nothing is marked because the pointer or the cursor happens to be there. */
async function leaveAlone(page: Page) {
	await page.mouse.move(0, 0);
	const focused = page.locator(':focus');
	if (await focused.count()) await focused.blur();
}

/** Takes `<name>.light.png` and `<name>.dark.png`; the names of the files. */
export async function takeScreenshots(
	folder: string,
	name: string,
	{ elements, margin = 0 }: Subject,
): Promise<string[]> {
	const page = elements[0].page();
	await leaveAlone(page);
	const added = await page.addStyleTag({ content: style });
	const browser = await page.context().newCDPSession(page);
	const files: string[] = [];
	for (const appearance of appearances) {
		await page.emulateMedia({ colorScheme: appearance });
		await page.waitForTimeout(settleMs);
		const clip = { ...(await frameAround(page, elements, margin)), scale };
		// Playwright draws all that it shows at one scale, and tests would be slow at this one.
		const { data } = await browser.send('Page.captureScreenshot', { format: 'png', clip });
		const file = `${name}.${appearance}.png`;
		await writeFile(join(folder, file), await small(Buffer.from(data, 'base64')));
		files.push(file);
	}
	await page.emulateMedia({ colorScheme: 'light' });
	await added.evaluate((element) => element.parentNode?.removeChild(element));
	return files;
}
