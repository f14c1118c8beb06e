import { join } from 'node:path';

/** n8n-core reads these once, when it is imported, and would otherwise write to the home folder. */
export function useN8nFolder(userFolder: string) {
	Object.assign(process.env, {
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'only for tests',
		N8N_LOG_LEVEL: 'debug',
		N8N_LOG_OUTPUT: 'file',
		N8N_LOG_FILE_LOCATION: join(userFolder, 'n8n.log'),
		// In MB; beyond it, n8n would go on in another file, which nobody reads.
		N8N_LOG_FILE_SIZE_MAX: '1000',
	});
}
