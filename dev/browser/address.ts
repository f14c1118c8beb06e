import type { Page } from 'playwright-core';

/** What a person sees and types as the service's address. */
export const shownAddress = 'https://api.example.com';

/** In the credential window the simulated service has the address that a real one might have. */
export async function showServiceAt(page: Page, realAddress: string) {
	await page.route(/\/rest\/credentials(\/|\?|$)/, async (route) => {
		const postData = route.request().postData()?.replaceAll(shownAddress, realAddress);
		// n8n may close a connection that it has kept open just when it is used again.
		const response = await route.fetch({ postData, maxRetries: 3 });
		const body = (await response.text()).replaceAll(realAddress, shownAddress);
		await route.fulfill({ response, body });
	});
}
