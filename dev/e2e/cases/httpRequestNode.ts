import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import type { INodeParameters } from 'n8n-workflow';
import type { Service } from '../../../test/support/service.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { chain, credentialType, manualTrigger } from '../../n8n/workflow.ts';
import { makeCertificate } from '../../service/certificate.ts';
import type { Stage } from '../stage.ts';

const host = '127.0.0.1';
const nodeName = 'HTTP Request';

/** A proxy that opens what it should pass on: it shows a certificate of its own and reads along. */
async function startCuriousProxy() {
	const certificate = await makeCertificate(host);
	const heard: string[] = [];
	const connections = new Set<Socket>();
	const proxy: Server = createServer((request, response) => {
		heard.push(JSON.stringify(request.headers));
		response.end('{}');
	});
	proxy.on('connection', (socket) => connections.add(socket));
	proxy.on('connect', (_request, socket: Socket) => {
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		const opened = new TLSSocket(socket, { isServer: true, ...certificate });
		opened.on('data', (bytes) => {
			heard.push(bytes.toString());
			opened.end(
				'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
			);
		});
		opened.on('error', () => undefined);
	});
	proxy.listen(0, host);
	await once(proxy, 'listening');
	return {
		url: `http://${host}:${(proxy.address() as AddressInfo).port}`,
		authority: certificate.cert,
		heard,
		stop: () => {
			for (const socket of connections) socket.destroy();
			proxy.close();
		},
	};
}

/** n8n's own HTTP Request node with this package's credential, against a service behind TLS. */
export default ({ n8n, secureAccount }: Stage) => {
	let service: Service;
	let credential: SavedCredential;
	let authority: SavedCredential;
	let proxy: Awaited<ReturnType<typeof startCuriousProxy>>;
	const key = () => String(service.credential().apiKey);
	const listUrl = () =>
		`${service.url}/api/v1/workflows/${String(service.credential().workflowId)}/extractions`;

	before(async () => {
		({ service, credential } = await secureAccount());
		proxy = await startCuriousProxy();
		authority = await n8n.createCredential('httpSslAuth', 'Authority', { ca: proxy.authority });
	});

	after(() => proxy.stop());

	const request = async (typeVersion: number, parameters: INodeParameters = {}) => {
		proxy.heard.length = 0;
		const sent = {
			method: 'GET',
			url: listUrl(),
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credentialType,
			options: {},
			...parameters,
		};
		const workflow = chain('HTTP Request', [
			manualTrigger,
			{
				name: nodeName,
				type: 'n8n-nodes-base.httpRequest',
				typeVersion,
				parameters: sent,
				credentials: {
					[credentialType]: { id: null, name: 'Service' },
					httpSslAuth: { id: null, name: 'Authority' },
				},
			},
		]);
		return await n8n.runManually(await n8n.importWorkflow(workflow, [credential, authority]));
	};

	// Each version of the node takes the parameters that it knows.
	const header = (name: string): INodeParameters => {
		const parameter = { name, value: 'elsewhere.example' };
		return {
			sendHeaders: true,
			headerParameters: { parameters: [parameter] },
			headerParametersUi: { parameter: [parameter] },
		};
	};
	const unchecked = (options: INodeParameters = {}): INodeParameters => ({
		allowUnauthorizedCerts: true,
		options: { allowUnauthorizedCerts: true, ...options },
	});
	const onlyInNewVersions = [
		'a host header in capitals, kept so',
		'a certificate authority of its own',
	];

	const refused: Array<[what: string, parameters: () => INodeParameters, message: RegExp]> = [
		['a Host header', () => header('Host'), /'Host' header, and this credential refuses that/],
		[
			'a host header in capitals, kept so',
			() => ({ ...header('HOST'), options: { lowercaseHeaders: false } }),
			/'Host' header, and this credential refuses that/,
		],
		[
			'Ignore SSL Issues',
			() => unchecked(),
			/does not check certificates \(Ignore SSL Issues\), and this credential refuses that/,
		],
		[
			'a proxy of its own',
			() => ({ options: { proxy: proxy.url } }),
			/uses its own proxy, and this credential refuses that/,
		],
		[
			'a proxy and Ignore SSL Issues',
			() => unchecked({ proxy: proxy.url }),
			/this credential refuses that/,
		],
		[
			'a certificate authority of its own',
			() => ({ provideSslCertificates: true }),
			/has its own certificates or agent, and this credential refuses that/,
		],
		[
			'another host',
			() => ({ url: proxy.url }),
			/^This credential only works for https:\/\/127\.0\.0\.1/,
		],
		[
			'a host that looks like the right one',
			() => ({ url: listUrl().replace('127.0.0.1', '127.0.0.1@localhost') }),
			/^This credential only works for https:\/\/127\.0\.0\.1/,
		],
	];

	// Up to version 2 the node is another program than from version 3 on.
	for (const typeVersion of [2, 4.2]) {
		describe(`version ${typeVersion} of the node`, () => {
			before(async () => await service.control.reset());

			test('reaches the service with the key', async () => {
				const execution = await request(typeVersion);

				assert.equal(execution.status, 'success', execution.errorMessage);
				const [{ headers }] = await service.control.requests('getExtractions');
				assert.equal(headers.authorization, `Bearer ${key()}`);
			});

			for (const [what, parameters, message] of refused) {
				if (typeVersion === 2 && onlyInNewVersions.includes(what)) continue;
				test(`sends nothing with ${what}`, async () => {
					await service.control.reset();

					const execution = await request(typeVersion, parameters());

					assert.equal(execution.status, 'error');
					assert.match(execution.errorMessage ?? '', message);
					assert.deepEqual(await service.control.requests(), []);
					assert.deepEqual(proxy.heard, []);
				});
			}

			for (const status of [301, 302, 303, 307, 308]) {
				test(`follows no redirect, however it is told to: ${status}`, async () => {
					for (const origin of [proxy.url, service.url]) {
						await service.control.reset();
						const location = `${origin}/elsewhere`;
						await service.control.faults([{ fault: { type: 'redirect', status, location } }]);

						const execution = await request(typeVersion, {
							options: {
								redirect: { redirect: { followRedirects: true, maxRedirects: 5 } },
								followRedirect: true,
								followAllRedirects: true,
							},
						});

						assert.equal(execution.status, 'error');
						assert.equal((await service.control.requests()).length, 1);
						assert.deepEqual(proxy.heard, []);
					}
				});
			}
		});
	}

	// n8n 1.123 and 2.8 check certificates all the same once a request goes through a proxy.
	const skip = n8n.version !== 'newest';
	test('a proxy would read along if it could, without this credential', { skip }, async () => {
		const headers = { parameters: [{ name: 'Authorization', value: `Bearer ${key()}` }] };
		await request(4.2, {
			authentication: 'none',
			sendHeaders: true,
			headerParameters: headers,
			options: { proxy: proxy.url, allowUnauthorizedCerts: true },
		});

		assert.ok(proxy.heard.join('').includes(key()));
	});
};
