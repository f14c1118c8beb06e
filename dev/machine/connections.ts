import { readdir, readFile, readlink } from 'node:fs/promises';

const established = '01';

async function socketsOf(pid: number): Promise<Set<string>> {
	const folder = `/proc/${pid}/fd`;
	const links = await Promise.all(
		(await readdir(folder)).map(async (fd) => await readlink(`${folder}/${fd}`).catch(() => '')),
	);
	return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** How many connections a process has to these ports, by IPv4, as Linux counts them. */
export async function connectionsTo(ports: number[], pid: number): Promise<number> {
	const own = await socketsOf(pid);
	const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').slice(1);
	return lines.filter((line) => {
		const [, , remote = '', state, , , , , , inode] = line.trim().split(/\s+/);
		const port = parseInt(remote.split(':')[1], 16);
		return state === established && ports.includes(port) && own.has(inode);
	}).length;
}
