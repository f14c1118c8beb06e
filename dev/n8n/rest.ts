export interface Login {
	email: string;
	password: string;
}

const timeoutMs = 120_000;

/**
 * n8n closes a connection that was idle for 5 seconds, even if the next request has arrived on it while
 * n8n was busy: that request fails with ECONNRESET.
 */
export const ownConnection = { connection: 'close' };

/** @throws Error whose cause is the status, if n8n answers with an error */
export async function callN8n(method: string, url: string, body?: unknown, cookie?: string) {
	const response = await fetch(url, {
		method,
		headers: {
			...ownConnection,
			...(cookie && { cookie }),
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
		body: body === undefined ? undefined : JSON.stringify(body),
		signal: AbortSignal.timeout(timeoutMs),
	});
	if (!response.ok) {
		const text = `n8n: ${method} ${url} → ${response.status} ${await response.text()}`;
		throw new Error(text, { cause: response.status });
	}
	return response;
}

async function data<T>(response: Response): Promise<T> {
	const { data: answer } = (await response.json()) as { data: T };
	return answer;
}

/** @returns the cookie of the session */
async function logIn(rest: string, owner: Login): Promise<string> {
	const settings = await data<{ userManagement: { showSetupOnFirstLoad: boolean } }>(
		await callN8n('GET', `${rest}/settings`),
	);
	const { email: emailOrLdapLoginId, password } = owner;
	const { headers } = settings.userManagement.showSetupOnFirstLoad
		? await callN8n('POST', `${rest}/owner/setup`, {
				...owner,
				firstName: 'Test',
				lastName: 'Owner',
			})
		: await callN8n('POST', `${rest}/login`, { emailOrLdapLoginId, password });
	const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
	return cookies.join('; ');
}

/**
 * n8n's own REST interface, the one that its editor uses, as the owner of the instance. On a fresh
 * instance this sets the owner up.
 */
export async function openRest(url: string, owner: Login) {
	const rest = `${url}/rest`;
	const cookie = await logIn(rest, owner);
	const send = async (method: string, path: string, body?: unknown) =>
		await callN8n(method, rest + path, body, cookie);
	return {
		url,
		get: async <T>(path: string): Promise<T> => await data(await send('GET', path)),
		post: async <T>(path: string, body: unknown): Promise<T> =>
			await data(await send('POST', path, body)),
		download: async (path: string) => Buffer.from(await (await send('GET', path)).arrayBuffer()),
	};
}

export type Rest = Awaited<ReturnType<typeof openRest>>;
