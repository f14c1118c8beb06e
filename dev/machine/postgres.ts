import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import getPort from 'get-port';
import { temporaryFolder } from './temporaryFolder.ts';
import { asUser, startDaemon } from './daemon.ts';

const debianVersions = '/usr/lib/postgresql';
/** It refuses to run as root. */
const user = process.getuid?.() === 0 ? 'postgres' : undefined;

async function newestBinaries() {
	const versions = (await readdir(debianVersions)).map(Number).sort((a, b) => b - a);
	return join(debianVersions, String(versions[0]), 'bin');
}

/** A PostgreSQL of its own, on a free port of this machine, with one empty database. */
export async function startPostgres(name: string, owner: string) {
	const binaries = await newestBinaries();
	const folder = await temporaryFolder('cluster-postgres');
	if (user) await execa('chown', [user, folder]);
	const run = async (command: string, ...args: string[]) => {
		const [program, ...rest] = [...asUser(user), join(binaries, command), ...args];
		return await execa(program, rest, { cwd: folder });
	};

	const data = join(folder, 'data');
	await run('initdb', '-A', 'trust', '-U', owner, '--locale=C.UTF-8', '-D', data);
	const port = await getPort();
	const address = ['-h', '127.0.0.1', '-p', String(port), '-U', owner];
	const daemon = await startDaemon({
		command: [
			join(binaries, 'postgres'),
			...['-D', data, '-p', String(port), '-k', folder],
			...['-c', 'listen_addresses=127.0.0.1'],
		],
		user,
		cwd: folder,
		logFile: join(folder, 'postgres.log'),
		stopSignal: 'SIGQUIT',
		isReady: async () => !(await execa('pg_isready', address, { reject: false })).failed,
	});
	await run('createdb', ...address, name);
	return Object.assign(daemon, {
		port,
		/** Rows as texts. */
		query: async (sql: string) => {
			const { stdout } = await run('psql', ...address, '-d', name, '-At', '-F', '\t', '-c', sql);
			return stdout
				.split('\n')
				.filter(Boolean)
				.map((line) => line.split('\t'));
		},
	});
}
