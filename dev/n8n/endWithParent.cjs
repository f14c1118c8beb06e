// Loaded into a program before its own code. The pipe at stdin closes when the process that started
// the program is gone, however it ended: then the program, and all that it started, ends too.
const { isMainThread } = require('node:worker_threads');

// What the program starts has other pipes at stdin.
delete process.env.NODE_OPTIONS;

// Worker threads load this as well, and have no stdin.
if (isMainThread) {
	process.stdin.on('end', () => process.kill(0, 'SIGKILL'));
	process.stdin.resume();
}
