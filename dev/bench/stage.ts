import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Service, startService } from '../../test/support/service.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { startN8n } from '../n8n/server.ts';
import { type Account, credentialFor, openStage } from '../n8n/stage.ts';

/** Every answer takes this long, as one over the Internet does. */
const latencyMs = 50;

export const openBenchStage = async () =>
	await openStage(async (keep) => {
		const folder = await temporaryFolder('benchmark-files');
		const freshN8n = async () =>
			await startN8n({
				env: {
					N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
					N8N_RESTRICT_FILE_ACCESS_TO: folder,
				},
			});
		const n8n = await keep(freshN8n());
		return {
			n8n,
			/** The files that flows may read lie below. */
			folder,
			/** Another n8n, which nothing has run in yet. */
			freshN8n,
			account: async (): Promise<Account> => {
				const service = await keep(startService({ settings: { latencyMs } }));
				return { service, credential: await credentialFor(n8n, service) };
			},
		};
	});

export type Stage = Awaited<ReturnType<typeof openBenchStage>>;

/** Files of the same size, numbered, none like the other. */
export async function makeFiles(folder: string, count: number, size: number): Promise<string> {
	await mkdir(folder);
	for (let number = 0; number < count; number++) {
		const name = `file-${String(number).padStart(5, '0')}.pdf`;
		await writeFile(join(folder, name), Buffer.alloc(size, name));
	}
	return folder;
}

/** That the service has each of the files sent, and none twice. */
export async function requireAllOnce({ control }: Service, fileCount: number) {
	const { uploads } = await control.ledger();
	const names = uploads.filter(({ confirmed }) => confirmed).map(({ fileName }) => fileName);
	const distinct = new Set(names).size;
	if (distinct < fileCount || names.length > distinct) {
		throw new Error(
			`Of ${fileCount} files ${fileCount - distinct} were lost and ${names.length - distinct} doubled.`,
		);
	}
}
