import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ENCRYPTION_KEY = 'only for tests';

/**
 * n8n-core reads these once, when it is imported, and would otherwise write to the home folder. The
 * settings of a first start are there already: of several processes that start at once, one would
 * read what another has written by half.
 */
export function useN8nFolder(userFolder: string) {
	const n8nFolder = join(userFolder, '.n8n');
	mkdirSync(n8nFolder, { recursive: true });
	const settings = JSON.stringify({ encryptionKey: ENCRYPTION_KEY });
	writeFileSync(join(n8nFolder, 'config'), settings, { mode: 0o600 });
	Object.assign(process.env, {
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: ENCRYPTION_KEY,
		N8N_LOG_LEVEL: 'debug',
		N8N_LOG_OUTPUT: 'file',
		N8N_LOG_FILE_LOCATION: join(userFolder, 'n8n.log'),
	});
}
