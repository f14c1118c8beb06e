import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { withLock } from './lock.ts';

/** apt itself refuses to run twice at a time. */
const lock = join(tmpdir(), 'document-extraction-apt');

const apt = async (args: string[]) =>
	await execa('apt-get', ['-qq', ...args], { env: { DEBIAN_FRONTEND: 'noninteractive' } });

async function missingOf(packages: string[]) {
	const query = ['-W', '-f=${Package} ${db:Status-Status}\n', ...packages];
	const { stdout = '' } = await execa('dpkg-query', query, { reject: false });
	const lines = stdout.split('\n');
	return packages.filter((name) => !lines.includes(`${name} installed`));
}

/**
 * Installs Debian packages where they are missing. What they install as services of the system is
 * not used.
 */
export async function installDebianPackages(packages: string[]) {
	if ((await missingOf(packages)).length === 0) return;
	const onWait = () =>
		console.log("Another process is installing Debian's packages; waiting for it.");
	await withLock(lock, onWait, async () => {
		const missing = await missingOf(packages);
		if (missing.length === 0) return;
		console.log(`Installing ${missing.join(', ')} from Debian, once.`);
		try {
			await apt(['update']);
			await apt(['install', '-y', '--no-install-recommends', ...missing]);
		} catch (error) {
			throw new Error(
				`This needs Debian's packages ${missing.join(', ')}. Install them, or run it as root.`,
				{ cause: error },
			);
		}
	});
}
