import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { execa } from 'execa';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { deployFolder } from './compose.ts';

export const readDockerfile = async () => await readFile(join(deployFolder, 'Dockerfile'), 'utf8');

/** The instructions of the Dockerfile's first stage, which unpacks the node. */
async function packageStage(): Promise<Instruction[]> {
	const dockerfile = DockerfileParser.parse(await readDockerfile());
	const [, ...later] = dockerfile.getFROMs();
	const end = later[0].getRange().start.line;
	return dockerfile.getInstructions().filter((step) => step.getRange().start.line < end);
}

/**
 * Follows the Dockerfile's first stage below a folder of its own instead of `/`.
 * @param tarball what stands beside the Dockerfile in a real build
 * @returns the home folder of n8n's user, as it is in the image
 */
export async function homeInImage(tarball: string): Promise<string> {
	const root = await temporaryFolder('queue-image');
	let folder = root;
	for (const step of await packageStage()) {
		const text = step.getArgumentsContent() ?? '';
		switch (step.getKeyword()) {
			case 'FROM':
				break;
			case 'WORKDIR':
				folder = join(root, text);
				await mkdir(folder, { recursive: true });
				break;
			case 'COPY':
				await copyFile(tarball, join(folder, text.split(' ')[1]));
				break;
			case 'RUN':
				await execa('sh', ['-c', text], { cwd: folder });
				break;
			default:
				throw new Error(`What does ${step.getKeyword()} do in the Dockerfile's first stage?`);
		}
	}
	return join(root, 'home', 'node');
}
