import assert from 'node:assert/strict';
import { TLSSocket } from 'node:tls';
import type { INodeParameters } from 'n8n-workflow';
import { chain, credentialType, manualTrigger } from '../../n8n/workflow.ts';
import { makeCertificate } from '../../service/certificate.ts';
import { live, type Stage } from '../stage/live.ts';
import { startProxy } from '../stage/proxy.ts';

/** A proxy that opens what it should pass on: it shows a certificate of its own and reads along. */
async function startCuriousProxy() {
	const { cert, key } = await makeCertificate('127.0.0.1');
	const heard: string[] = [];
	const proxy = await startProxy(
		(socket) => {
			socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
			const opened = new TLSSocket(socket, { isServer: true, cert, key });
			opened.on('data', (bytes) => {
				heard.push(bytes.toString());
				opened.end(
					'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
				);
			});
			opened.on('error', () => undefined);
		},
		(request, response) => {
			heard.push(JSON.stringify(request.headers));
			response.end('{}');
		},
	);
	return { ...proxy, authority: cert, heard };
}

const tls = { tls: true } as const;

/** n8n's own HTTP Request node with this package's credential, beside a proxy that would read along. */
async function httpRequest({ n8n, service, attempt, keep }: Stage, typeVersion: number) {
	const proxy = await keep(startCuriousProxy());
	const authority = await n8n.createCredential('httpSslAuth', 'Authority', { ca: proxy.authority });
	const { apiKey, workflowId } = service.owner('test');
	const url = `${service.url}/api/v1/workflows/${workflowId}/extractions`;
	const request = async (parameters: INodeParameters = {}) =>
		await attempt(
			chain('HTTP Request', [
				manualTrigger,
				{
					name: 'HTTP Request',
					type: 'n8n-nodes-base.httpRequest',
					typeVersion,
					parameters: {
						method: 'GET',
						url,
						authentication: 'predefinedCredentialType',
						nodeCredentialType: credentialType,
						options: {},
						...parameters,
					},
					credentials: {
						[credentialType]: { id: null, name: 'Service' },
						httpSslAuth: { id: null, name: 'Authority' },
					},
				},
			]),
			[authority],
		);
	return { proxy, apiKey, request };
}

// Each version of the node takes the parameters that it knows.
const header = (name: string): INodeParameters => {
	const parameter = { name, value: 'elsewhere.example' };
	return {
		sendHeaders: true,
		headerParameters: { parameters: [parameter] },
		headerParametersUi: { parameter: [parameter] },
	};
};
const unchecked = (): INodeParameters => ({
	allowUnauthorizedCerts: true,
	options: { allowUnauthorizedCerts: true },
});

/** In which forms a request may ask for it: test/credential.test.ts. */
const refused: Record<string, (proxyUrl: string) => INodeParameters> = {
	"has a 'Host' header": () => header('Host'),
	'does not check certificates (Ignore SSL Issues)': () => unchecked(),
	'uses its own proxy': (proxy) => ({ options: { proxy } }),
	'has its own certificates or agent': () => ({ provideSslCertificates: true }),
	'This credential only works for https://127.0.0.1': (url) => ({ url }),
};

// Up to version 2 the node is another program than from version 3 on.
for (const version of [2, 4.2]) {
	live(`version ${version} gives the key to nobody else`, tls, async (stage) => {
		const { proxy, apiKey, request } = await httpRequest(stage, version);
		const { control, url } = stage.service;
		const right = await request();
		assert.equal(right.status, 'success', right.errorMessage);
		const [{ headers }] = await control.requests('getExtractions');
		assert.equal(headers.authorization, `Bearer ${apiKey}`);

		await control.reset();
		for (const [reason, parameters] of Object.entries(refused)) {
			// Version 2 of the node has no certificates of its own.
			if (version === 2 && reason.includes('its own certificates')) continue;
			const { status, errorMessage = '' } = await request(parameters(proxy.url));
			assert.equal(status, 'error', reason);
			assert.ok(errorMessage.includes(reason), errorMessage);
			assert.deepEqual([await control.requests(), proxy.heard], [[], []], reason);
		}

		// It follows no redirect either, however it is told to.
		const redirect = { redirect: { followRedirects: true, maxRedirects: 5 } };
		const options = { redirect, followRedirect: true, followAllRedirects: true };
		for (const code of [301, 302, 303, 307, 308]) {
			for (const origin of [proxy.url, url]) {
				await control.reset();
				const location = `${origin}/elsewhere`;
				await control.faults([{ fault: { type: 'redirect', status: code, location } }]);
				const { status } = await request({ options });
				assert.equal(status, 'error', String(code));
				assert.equal((await control.requests()).length, 1);
				assert.deepEqual(proxy.heard, []);
			}
		}
	});
}

// n8n 1.123 and 2.8 check certificates all the same once a request goes through a proxy.
live(
	'without this credential a proxy could read along',
	{ ...tls, n8n: ['newest'] },
	async (stage) => {
		const { proxy, apiKey, request } = await httpRequest(stage, 4.2);
		await request({
			authentication: 'none',
			sendHeaders: true,
			headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${apiKey}` }] },
			options: { proxy: proxy.url, allowUnauthorizedCerts: true },
		});
		assert.ok(proxy.heard.join('').includes(apiKey));
	},
);
