// Loaded into n8n before its own code: at SIGUSR2 it writes what the process holds to a file.
const { writeFileSync, renameSync } = require('node:fs');
const { join } = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

function collectGarbage() {
	v8.setFlagsFromString('--expose-gc');
	vm.runInNewContext('gc')();
}

if (isMainThread) {
	process.on('SIGUSR2', () => {
		collectGarbage();
		const timers = process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
		const file = join(process.env.CLUSTER_HOLDINGS, `${process.pid}.json`);
		// Renamed, so that nobody reads half of it.
		writeFileSync(`${file}.new`, JSON.stringify({ timers, heap: process.memoryUsage().heapUsed }));
		renameSync(`${file}.new`, file);
	});
}
