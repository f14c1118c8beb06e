import { startServiceHost } from './serviceProcess';

/** Jest runs this once; its workers inherit the environment, and lend services from the host. */
export default async function () {
	const host = await startServiceHost();
	host.unref();
	process.env.SERVICE_HOST = host.addresses.url;
}
