import { setTimeout as sleep } from 'node:timers/promises';

const registeredWithinMs = 10_000;
const answerWithinMs = 120_000;
const pollMs = 100;

/** Calls a production webhook; just after activation n8n does not know it yet. */
export async function callWebhook(url: string, path: string, body: unknown): Promise<unknown> {
	const giveUpAt = Date.now() + registeredWithinMs;
	for (;;) {
		const response = await fetch(`${url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
			signal: AbortSignal.timeout(answerWithinMs),
		});
		if (response.ok) return await response.json();
		if (response.status !== 404 || Date.now() > giveUpAt) {
			throw new Error(`Webhook ${path} → ${response.status} ${await response.text()}`);
		}
		await sleep(pollMs);
	}
}
