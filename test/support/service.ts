import { readFileSync } from 'node:fs';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { Agent, request, type Dispatcher } from 'undici';
import { type ApiDetails, linesOf } from '../../dev/service/profiles/profile';
import type { ServiceFlags } from './serviceContract';
import { controlAt, type Exchange } from './serviceControl';
import { startServiceProcess, type Addresses } from './serviceProcess';

/**
 * A simulated service that runs.
 * @param release what becomes of its process when it is not needed any more
 * @param exchange how a request is made without n8n
 */
export async function connectTo(
	{ url, storageUrl, controlUrl, caFile }: Addresses,
	release: () => Promise<void>,
	exchange: Exchange,
) {
	const control = controlAt(controlUrl, exchange);
	const account = await control.account();

	const owner = (environment: 'test' | 'live') => {
		const { keys, workflows } = account.environments[environment];
		return { environment, apiKey: keys.full, workflowId: workflows.main.id };
	};
	const credential = (
		overrides: ICredentialDataDecryptedObject = {},
	): ICredentialDataDecryptedObject => {
		const fields = { ...owner('test'), baseUrl: url, apiDetails: '' };
		const isField = ([name]: [string, unknown]) => name in fields;
		const all = Object.entries(overrides);
		const details = Object.fromEntries(all.filter((one) => !isField(one)));
		return {
			...fields,
			apiDetails: linesOf({ ...account.apiDetails, ...(details as ApiDetails) }),
			...Object.fromEntries(all.filter(isField)),
		};
	};

	return {
		url,
		storageUrl,
		caFile,
		account,
		control,
		exchange,
		/**
		 * All fields of a credential for the test environment; what differs in it, by the name of a field or
		 * of an API Detail.
		 */
		credential,
		/** All fields of a credential that reads from each item whose it is: an item holds an `owner`. */
		credentialByItem: () =>
			credential({
				environment: '={{ $json.environment }}',
				apiKey: '={{ $json.apiKey }}',
				workflowId: '={{ $json.workflowId }}',
			}),
		owner,
		stop: release,
	};
}

export type Service = Awaited<ReturnType<typeof connectTo>>;

/** A simulated service of its own, in a process that ends with this one at the latest. */
export async function startService(flags: ServiceFlags = {}): Promise<Service> {
	const { addresses, stop } = await startServiceProcess(flags);
	const { caFile } = addresses;
	const dispatcher = new Agent(caFile ? { connect: { ca: readFileSync(caFile) } } : {});
	const release = async () => {
		await dispatcher.close();
		await stop();
	};
	return await connectTo(addresses, release, async (url, { method, ...options }) => {
		const { statusCode, headers, body } = await request(url, {
			...options,
			method: method as Dispatcher.HttpMethod,
			dispatcher,
		});
		return { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
	});
}
