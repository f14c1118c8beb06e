import type { Page } from 'playwright-core';

/** What a person sees and types as the service's address. */
export const shownAddress = 'https://api.example.com';

const toBase64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * In the credential window the simulated service has the address that a real one might have.
 * Playwright's own routes would do this too, but they switch off the cache, and the editor is large.
 */
export async function showServiceAt(page: Page, realAddress: string) {
	const devTools = await page.context().newCDPSession(page);
	const passRequest = async (requestId: string, postData?: string) => {
		await devTools.send('Fetch.continueRequest', {
			requestId,
			postData: postData && toBase64(postData.replaceAll(shownAddress, realAddress)),
		});
	};
	const passResponse = async (
		requestId: string,
		responseCode: number,
		headers: Array<{ name: string; value: string }> = [],
	) => {
		const { body, base64Encoded } = await devTools.send('Fetch.getResponseBody', { requestId });
		const text = Buffer.from(body, base64Encoded ? 'base64' : 'utf8').toString();
		await devTools.send('Fetch.fulfillRequest', {
			requestId,
			responseCode,
			// The body is decoded, and its length changes.
			responseHeaders: headers.filter(({ name }) => !/^content-(length|encoding)$/i.test(name)),
			body: toBase64(text.replaceAll(realAddress, shownAddress)),
		});
	};
	devTools.on(
		'Fetch.requestPaused',
		({ requestId, request, responseStatusCode, responseHeaders }) => {
			const passed =
				responseStatusCode === undefined
					? passRequest(requestId, request.postData)
					: passResponse(requestId, responseStatusCode, responseHeaders);
			passed
				.catch(async (error: Error) => {
					await devTools.send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
					console.error(error);
				})
				// The page has been left meanwhile: nobody waits for the answer.
				.catch(() => undefined);
		},
	);
	const urlPattern = '*/rest/credentials*';
	await devTools.send('Fetch.enable', {
		patterns: [
			{ urlPattern, requestStage: 'Request' },
			{ urlPattern, requestStage: 'Response' },
		],
	});
}
