import { startProgram } from './serviceProcess';
import { servicePrograms } from './servicePrograms';

/** Jest runs this once, before all tests; its workers inherit the environment, and borrow services from the host. */
export default async function () {
	const { host } = await servicePrograms();
	const { line: url, stop, complaints } = await startProgram(host);
	process.env.SERVICE_HOST = url;
	const stopServiceHost = async () => {
		await stop();
		if (complaints.length > 0) throw new Error('The simulated services complained: see above.');
	};
	Object.assign(globalThis, { stopServiceHost });
}
