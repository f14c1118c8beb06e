// Loaded into n8n before its own code. The pipe at stdin closes when the process that started n8n
// is gone, however it ended, so that no n8n, and no task runner in its process group, outlives it.
const { isMainThread } = require('node:worker_threads');

// Worker threads and forked processes load this too, but the pipe is not theirs.
const isForked = process.send !== undefined;

if (isMainThread && !isForked) {
	process.stdin.on('end', () => process.kill(-process.pid, 'SIGKILL'));
	process.stdin.resume();
}
