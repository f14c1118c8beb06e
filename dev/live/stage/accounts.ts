import { type Service, startService } from '../../../test/support/service.ts';
import { ServiceClient } from '../../../test/support/serviceClient.ts';
import type { Profile } from '../../../test/support/serviceContract.ts';
import { sampleFile, sampleNames } from './samples.ts';

/** In ms. As with a real service, the node sees the workflow extract: else Workflow Endpoint is no use. */
export const extractionMs = 2_000;

/** The account of somebody who has tried the service with some documents before they set up n8n. */
export async function accountWithResults(profile: Profile): Promise<Service> {
	const service = await startService({ profile, settings: { extractionMs } });
	const client = new ServiceClient(service);
	const ids: string[] = [];
	for (const fileName of sampleNames) {
		ids.push(await client.uploadedId({ bytes: await sampleFile(fileName), fileName }));
	}
	await client.api('POST', client.at('/extract'));
	for (const id of ids) await client.resultsOf(id);
	return service;
}
