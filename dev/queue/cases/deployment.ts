import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { execa } from 'execa';
import { releaseNumber, releases } from '../../n8n/versions.ts';
import { readDeployment, testPasswords } from '../compose.ts';
import { readDockerfile } from '../image.ts';

const { folder } = releases.newest;
/** What these refer to is read from the environment by n8n. */
const n8nCode = ['@n8n/config', 'n8n-core', 'n8n'].map((name) =>
	join(folder, 'node_modules', name, 'dist'),
);

const isKnown = async (variable: string) =>
	!(await execa('grep', ['-rqw', '--include=*.js', variable, ...n8nCode], { reject: false }))
		.failed;

/** What can be said of the deployment's files without an engine that runs containers. */
export const deployment = {
	title: 'Compose, a Dockerfile linter and n8n find nothing wrong with the deployment',

	run: async () => {
		const dockerfile = await readDockerfile();
		assert.deepEqual(validate(dockerfile), []);
		const images = DockerfileParser.parse(dockerfile).getFROMs();
		assert.equal(images.at(-1)?.getImage(), `n8nio/n8n:${await releaseNumber('newest')}`);

		const { main, worker, redis, postgres } = (await readDeployment(testPasswords)).services;
		assert.equal(main.image, worker.image);
		assert.deepEqual(Object.keys(main.depends_on ?? {}).sort(), ['postgres', 'redis']);
		assert.equal(redis.image.split(':')[0], 'redis');
		assert.equal(postgres.image.split(':')[0], 'postgres');
		const variables = Object.keys({ ...main.environment, ...worker.environment });
		assert.ok(variables.length > 0);
		for (const variable of variables) assert.ok(await isKnown(variable), variable);

		for (const name of Object.keys(testPasswords)) {
			await assert.rejects(readDeployment({ ...testPasswords, [name]: '' }), new RegExp(name));
		}
	},
};
