import { startProgram } from './serviceProcess';
import { servicePrograms } from './servicePrograms';

/** Jest runs this once; its workers inherit the environment, and borrow services from the host. */
export default async function () {
	const { host } = await servicePrograms();
	const { line: url, unref } = await startProgram(host);
	unref();
	process.env.SERVICE_HOST = url;
}
