// Installs the packages for development, unless what is installed is what their lockfiles name.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dev = dirname(fileURLToPath(import.meta.url));

async function install(folder) {
	const stamp = join(folder, 'node_modules', '.installed-lockfile');
	const lockfile = createHash('sha256')
		.update(readFileSync(join(folder, 'package-lock.json')))
		.digest('hex');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile) return;
	const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: folder,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	const [status] = await once(npm, 'exit');
	if (status === 0) writeFileSync(stamp, lockfile);
	else process.exitCode = status ?? 1;
}

await Promise.all([dev, join(dev, 'scan')].map(install));
