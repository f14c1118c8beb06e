import { fileURLToPath } from 'node:url';

const guard = fileURLToPath(new URL('endWithParent.cjs', import.meta.url));

/**
 * Settings for a Node program that is started with a pipe at stdin. It gets a process group of its
 * own, and this ends as a whole when the starting process ends.
 */
export const endWithParent = {
	detached: true,
	env: { NODE_OPTIONS: `--require "${guard}"` },
};
