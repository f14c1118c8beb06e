const answerWithinMs = 120_000;

/** Calls a production webhook. */
export async function callWebhook(url: string, path: string, body: unknown): Promise<unknown> {
	const response = await fetch(`${url}/webhook/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
		signal: AbortSignal.timeout(answerWithinMs),
	});
	if (!response.ok) {
		throw new Error(`Webhook ${path} → ${response.status} ${await response.text()}`);
	}
	return await response.json();
}
