import { access } from 'node:fs/promises';
import { type Browser, chromium, selectors } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

const switches = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// Without hinting, a text looks the same on every machine.
	'--font-render-hinting=none',
];

/** Debian's own Chromium: what an apt-get brings, and no download of a browser besides. */
export async function startChromium(): Promise<Browser> {
	await access(executablePath).catch(() => {
		throw new Error(
			`There is no browser at ${executablePath}. Install it (apt-get install chromium), or name another one in CHROMIUM.`,
		);
	});
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({ executablePath, args: switches });
}
