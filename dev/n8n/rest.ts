import { ownConnection } from './webhook.ts';

export interface Login {
	email: string;
	password: string;
}

const timeoutMs = 60_000;
const notFound = 404;

interface Session {
	url: string;
	cookie?: string;
}

async function send(session: Session, method: string, path: string, body?: unknown) {
	const response = await fetch(`${session.url}/rest${path}`, {
		method,
		headers: {
			...ownConnection,
			...(session.cookie && { cookie: session.cookie }),
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
		body: body === undefined ? undefined : JSON.stringify(body),
		signal: AbortSignal.timeout(timeoutMs),
	});
	if (!response.ok) {
		const text = `n8n: ${method} ${path} → ${response.status} ${await response.text()}`;
		throw new Error(text, { cause: response.status });
	}
	return response;
}

async function data<T>(response: Response): Promise<T> {
	const { data: answer } = (await response.json()) as { data: T };
	return answer;
}

async function logIn(session: Session, owner: Login) {
	const settings = await data<{ userManagement: { showSetupOnFirstLoad: boolean } }>(
		await send(session, 'GET', '/settings'),
	);
	const response = settings.userManagement.showSetupOnFirstLoad
		? await send(session, 'POST', '/owner/setup', {
				...owner,
				firstName: 'Test',
				lastName: 'Owner',
			})
		: await send(session, 'POST', '/login', {
				emailOrLdapLoginId: owner.email,
				password: owner.password,
			});
	return response.headers
		.getSetCookie()
		.map((cookie) => cookie.split(';')[0])
		.join('; ');
}

/**
 * n8n's own REST interface, the one that its editor uses, as the owner of the instance. On a fresh
 * instance this sets the owner up.
 */
export async function openRest(url: string, owner: Login) {
	const session: Session = { url };
	session.cookie = await logIn(session, owner);
	return {
		url,
		get: async <T>(path: string): Promise<T> => await data(await send(session, 'GET', path)),
		/** The same; undefined where this version of n8n does not have it. */
		find: async <T>(path: string): Promise<T | undefined> => {
			try {
				return await data(await send(session, 'GET', path));
			} catch (error) {
				if (error instanceof Error && error.cause === notFound) return undefined;
				throw error;
			}
		},
		post: async <T>(path: string, body: unknown): Promise<T> =>
			await data(await send(session, 'POST', path, body)),
		download: async (path: string) =>
			Buffer.from(await (await send(session, 'GET', path)).arrayBuffer()),
	};
}

export type Rest = Awaited<ReturnType<typeof openRest>>;
