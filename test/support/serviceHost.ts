/**
 * A program: simulated services for all workers of Jest, in one process. A service starts there in
 * milliseconds, and answers with code that the others have warmed up.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { profiles } from '../../dev/service/profiles/index';
import { startService } from '../../dev/service/service';
import { defaultSettings } from '../../dev/service/settings';
import { toldToEnd } from '../../dev/service/toldToEnd';

type HostedService = Awaited<ReturnType<typeof startService>>;

const services: HostedService[] = [];

async function start(name?: string): Promise<HostedService> {
	const profile = profiles.find((one) => one.name === name);
	if (!profile) throw new Error(`There is no profile ${name}.`);
	const service = await startService({
		profile,
		settings: defaultSettings,
		port: 0,
		storagePort: 0,
		discardFiles: false,
		tls: false,
	});
	services.push(service);
	return service;
}

const server = createServer((request, response) => {
	start(request.url?.slice(1)).then(
		({ url, storageUrl, controlUrl }) =>
			response.end(JSON.stringify({ url, storageUrl, controlUrl })),
		(error: Error) => response.writeHead(500).end(error.message),
	);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const end = toldToEnd({ withParent: true });
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

await end;
const stops = await Promise.allSettled(services.map(async (service) => await service.stop()));
for (const stop of stops) if (stop.status === 'rejected') console.error(stop.reason);
process.exit(0);
