import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Service, startService } from '../../test/support/service.ts';
import { ServiceClient } from '../../test/support/serviceClient.ts';
import type { Profile } from '../../test/support/serviceContract.ts';

/** In ms. As with a real service, the node sees the workflow extract: else Workflow Endpoint would shorten no wait. */
export const extractionMs = 2_000;

/** The account of somebody who has tried the service with some documents before they set up n8n. */
export async function accountWithResults(profile: Profile, folder: string): Promise<Service> {
	const service = await startService({ profile, extractionMs });
	const client = new ServiceClient(service);
	const ids: string[] = [];
	for (const fileName of await readdir(folder)) {
		ids.push(await client.uploadedId({ bytes: await readFile(join(folder, fileName)), fileName }));
	}
	await client.api('POST', client.at('/extract'));
	for (const id of ids) await client.resultsOf(id);
	await client.close();
	return service;
}

/** What to type into new credentials, and into Check Setup, which finds the rest: a line for each account. */
export function accountsText(services: Service[]): string {
	const rows = services.map((service) => {
		const { apiKey, workflowId } = service.owner('test');
		return [service.url, apiKey, workflowId, new URL(service.account.openApiUrl).pathname];
	});
	const table = [['Base URL', 'API Key', 'Service Workflow ID', 'OpenAPI Document'], ...rows];
	const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
	return table
		.map((row) =>
			`  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd(),
		)
		.join('\n');
}
