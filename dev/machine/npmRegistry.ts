import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from './temporaryFolder.ts';

/** `npm` as it is, except that it asks this registry, whichever it is told to ask. */
const npmOf = (registry: string) => `#!/bin/sh
PATH="\${PATH#*:}"
for argument do
	shift
	case "$argument" in --registry=*) argument='--registry=${registry}' ;; esac
	set -- "$@" "$argument"
done
exec npm "$@"
`;

/**
 * An npm registry on this machine that has one version of one package. n8n lets its registry be changed
 * only with a licence; so there is an `npm` for it to find first.
 */
export async function startNpmRegistry(name: string, version: string, tarball: string) {
	const content = await readFile(tarball);
	const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
	const server = createServer(({ url, headers }, response) => {
		if (url?.endsWith('.tgz')) return response.end(content);
		if (url !== `/${name}`) return response.writeHead(404).end('{}');
		const dist = { integrity, tarball: `http://${headers.host}/${name}.tgz` };
		const versions = { [version]: { name, version, dist } };
		return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const programs = await temporaryFolder('npm');
	const npm = join(programs, 'npm');
	await writeFile(npm, npmOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
	await chmod(npm, 0o755);
	return {
		/** What npm calls `dist.integrity`. */
		integrity,
		/** A folder to put first on the PATH. */
		programs,
		stop: async () => {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
