import { chromium, selectors } from 'playwright-core';

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
export async function startChromium() {
	selectors.setTestIdAttribute('data-test-id');
	const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: switches });
	return { browser, stop: async () => await browser.close() };
}
