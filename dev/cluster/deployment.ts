import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { execa } from 'execa';
import { parse } from 'yaml';
import { installDebianPackages } from '../machine/debian.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { installN8n } from '../n8n/install.ts';
import { packNode } from '../n8n/pack.ts';
import { releases } from '../n8n/versions.ts';

const deployFolder = fileURLToPath(new URL('../../deploy', import.meta.url));

interface ComposeService {
	image: string;
	command?: string[];
	environment?: Record<string, string>;
	depends_on?: Record<string, { condition: string }>;
}

type Services = Record<string, ComposeService> &
	Record<'main' | 'worker-1' | 'redis' | 'postgres', ComposeService>;

/** What an operator has to choose. */
export const testPasswords = {
	N8N_ENCRYPTION_KEY: 'only-for-tests',
	N8N_RUNNERS_AUTH_TOKEN: 'only-for-tests',
	POSTGRES_PASSWORD: 'only-for-tests',
};

async function composeCommand() {
	const { failed } = await execa('docker', ['compose', 'version'], { reject: false });
	if (!failed) return ['docker', 'compose'];
	// It reads a file without any engine.
	await installDebianPackages(['docker-compose']);
	return ['docker-compose'];
}

/**
 * The deployment as Compose itself understands `deploy/compose.yaml`: checked, and with the
 * variables filled in.
 * @throws what Compose has to say about the file
 */
export async function readDeployment(variables: Record<string, string>): Promise<Services> {
	const [program, ...args] = await composeCommand();
	const { stdout } = await execa(program, [...args, '-f', 'compose.yaml', 'config'], {
		cwd: deployFolder,
		env: variables,
	});
	return (parse(stdout) as { services: Services }).services;
}

const dockerfile = await readFile(join(deployFolder, 'Dockerfile'), 'utf8');

/**
 * Follows the Dockerfile's first stage, which unpacks the node, below a folder of its own instead of `/`.
 * @returns the home folder of n8n's user, as it is in the image
 */
export async function homeInImage() {
	const root = await temporaryFolder('cluster-image');
	let folder = root;
	const [, stage] = dockerfile.split(/^FROM .+$/m);
	for (const [, keyword, text] of stage.matchAll(/^(?!#)(\S+) (.+)$/gm)) {
		if (keyword === 'WORKDIR') {
			folder = join(root, text);
			await mkdir(folder, { recursive: true });
		} else if (keyword === 'COPY') {
			await copyFile(await packNode(), join(folder, text.split(' ')[1]));
		} else if (keyword === 'RUN') {
			await execa('sh', ['-c', text], { cwd: folder });
		} else throw new Error(`What does ${keyword} do in the Dockerfile's first stage?`);
	}
	return join(root, 'home', 'node');
}

const { folder } = releases.newest;
/** What these refer to is read from the environment by n8n. */
const n8nCode = ['@n8n/config', 'n8n-core', 'n8n'].map((name) =>
	join(folder, 'node_modules', name, 'dist'),
);

const isKnown = async (variable: string) =>
	!(await execa('grep', ['-rqw', '--include=*.js', variable, ...n8nCode], { reject: false }))
		.failed;

/** Fails unless each process of n8n has a task runner of its own, of n8n's version, which ends after it. */
function assertRunners(services: Services, version: string) {
	const { image } = services.main;
	const processes = Object.keys(services).filter((name) => services[name].image === image);
	assert.deepEqual(processes.sort(), ['main', 'worker-1', 'worker-2']);
	for (const name of processes) {
		const { depends_on: needs, environment } = services[name];
		const runner = services[`${name}-runner`];
		assert.ok(needs && `${name}-runner` in needs);
		assert.equal(runner.image, `n8nio/runners:${version}`);
		assert.deepEqual(runner.environment, {
			N8N_RUNNERS_AUTH_TOKEN: environment?.N8N_RUNNERS_AUTH_TOKEN,
			N8N_RUNNERS_TASK_BROKER_URI: `http://${name}:5679`,
		});
	}
}

/** What can be said of the deployment's files without an engine that runs containers. */
export async function assertDeployable() {
	await installN8n();
	assert.deepEqual(validate(dockerfile), []);
	const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
	const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	assert.equal(images.at(-1), `n8nio/n8n:${dependencies.n8n}`);

	const services = await readDeployment(testPasswords);
	const { main, 'worker-1': worker, redis, postgres } = services;
	assert.equal(redis.image.split(':')[0], 'redis');
	assert.equal(postgres.image.split(':')[0], 'postgres');
	const variables = Object.keys({ ...main.environment, ...worker.environment });
	assert.ok(variables.length > 0);
	for (const variable of variables) assert.ok(await isKnown(variable), variable);
	assertRunners(services, dependencies.n8n);

	for (const name of Object.keys(testPasswords)) {
		await assert.rejects(readDeployment({ ...testPasswords, [name]: '' }), new RegExp(name));
	}
}
