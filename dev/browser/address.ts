import type { CDPSession, Page } from 'playwright-core';

/** What a person sees and types as the service's address. */
export const shownAddress = 'https://api.example.com';

const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString();
const toBase64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * In the credential window the simulated service has the address that a real one might have.
 * Playwright's own routes would do this too, but they switch off the cache, and the editor is large.
 */
export async function showServiceAt(page: Page, realAddress: string) {
	const browser: CDPSession = await page.context().newCDPSession(page);
	browser.on('Fetch.requestPaused', ({ requestId, request, ...response }) => {
		const change = async () => {
			if (response.responseStatusCode === undefined) {
				const postData = request.postData?.replaceAll(shownAddress, realAddress);
				await browser.send('Fetch.continueRequest', {
					requestId,
					postData: postData && toBase64(postData),
				});
				return;
			}
			const { body, base64Encoded } = await browser.send('Fetch.getResponseBody', { requestId });
			const text = base64Encoded ? fromBase64(body) : body;
			await browser.send('Fetch.fulfillRequest', {
				requestId,
				responseCode: response.responseStatusCode,
				responseHeaders: response.responseHeaders?.filter(
					({ name }) => !/^content-(length|encoding)$/i.test(name),
				),
				body: toBase64(text.replaceAll(realAddress, shownAddress)),
			});
		};
		// A page that is left no longer waits for its requests.
		change().catch(() => undefined);
	});
	const urlPattern = '*/rest/credentials*';
	await browser.send('Fetch.enable', {
		patterns: [
			{ urlPattern, requestStage: 'Request' },
			{ urlPattern, requestStage: 'Response' },
		],
	});
}
