// Installs the packages for development, unless what is installed is what their lockfiles name.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dev = dirname(fileURLToPath(import.meta.url));

for (const folder of [dev, join(dev, 'scan')]) {
	const stamp = join(folder, 'node_modules', '.installed-lockfile');
	const lockfile = createHash('sha256')
		.update(readFileSync(join(folder, 'package-lock.json')))
		.digest('hex');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile) continue;
	const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: folder,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	if (status !== 0) process.exit(status ?? 1);
	writeFileSync(stamp, lockfile);
}
