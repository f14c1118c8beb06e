import { execa } from 'execa';
import type { Log } from './log.ts';

const apt = async (args: string[]) =>
	await execa('apt-get', ['-qq', ...args], { env: { DEBIAN_FRONTEND: 'noninteractive' } });

async function isInstalled(debianPackage: string) {
	const { stdout } = await execa('dpkg-query', ['-W', '-f=${Status}', debianPackage], {
		reject: false,
	});
	return stdout?.includes('ok installed') ?? false;
}

/**
 * Installs Debian packages where they are missing. What they install as services of the system is
 * not used.
 */
export async function installDebianPackages(packages: string[], log: Log = console.log) {
	const installed = await Promise.all(packages.map(isInstalled));
	const missing = packages.filter((_, index) => !installed[index]);
	if (missing.length === 0) return;
	log(`Installing ${missing.join(', ')} from Debian, once.`);
	try {
		await apt(['update']);
		await apt(['install', '-y', '--no-install-recommends', ...missing]);
	} catch (error) {
		throw new Error(
			`This needs Debian's packages ${missing.join(', ')}. Install them, or run it as root.`,
			{ cause: error },
		);
	}
}
