import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { parse } from 'yaml';

export const deployFolder = fileURLToPath(new URL('../../deploy', import.meta.url));

/** Debian's `docker-compose` reads a file without any engine; with Docker's plugin that one does. */
export const composePackage = 'docker-compose';

interface ComposeService {
	image: string;
	command?: string[];
	environment?: Record<string, string>;
	depends_on?: Record<string, { condition: string }>;
	volumes?: string[];
}

export interface Deployment {
	services: Record<'main' | 'worker' | 'redis' | 'postgres', ComposeService>;
}

/** What an operator has to choose. */
export const testPasswords = {
	N8N_ENCRYPTION_KEY: 'only-for-tests',
	POSTGRES_PASSWORD: 'only-for-tests',
};

async function composeCommand() {
	const { failed } = await execa('docker', ['compose', 'version'], { reject: false });
	return failed ? ['docker-compose'] : ['docker', 'compose'];
}

/**
 * The deployment as Compose itself understands `deploy/compose.yaml`: checked, and with the
 * variables filled in.
 * @throws what Compose has to say about the file
 */
export async function readDeployment(variables: Record<string, string>): Promise<Deployment> {
	const [program, ...args] = await composeCommand();
	const { stdout } = await execa(program, [...args, '-f', 'compose.yaml', 'config'], {
		cwd: deployFolder,
		env: variables,
	});
	return parse(stdout) as Deployment;
}
