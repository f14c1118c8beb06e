// Installs the development package beside this file, unless what is installed is what its lockfile names.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const stamp = join(folder, 'node_modules', '.installed-lockfile');
const lockfile = createHash('sha256')
	.update(readFileSync(join(folder, 'package-lock.json')))
	.digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockfile) {
	const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
		cwd: folder,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	if (status === 0) writeFileSync(stamp, lockfile);
	process.exitCode = status ?? 1;
}
