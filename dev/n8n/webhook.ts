const answerWithinMs = 120_000;

/**
 * n8n closes a connection that was idle for 5 seconds, even if the next request has arrived on it while
 * n8n was busy: that request fails with ECONNRESET.
 */
export const ownConnection = { connection: 'close' };

/**
 * Calls a production webhook.
 * @throws Error whose cause is the status, if n8n answers with an error
 */
export async function callWebhook(url: string, path: string, body: unknown): Promise<unknown> {
	const response = await fetch(`${url}/webhook/${path}`, {
		method: 'POST',
		headers: { ...ownConnection, 'content-type': 'application/json' },
		body: JSON.stringify(body),
		signal: AbortSignal.timeout(answerWithinMs),
	});
	if (!response.ok) {
		const text = `Webhook ${path} → ${response.status} ${await response.text()}`;
		throw new Error(text, { cause: response.status });
	}
	return await response.json();
}
