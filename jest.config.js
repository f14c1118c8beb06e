const { realpathSync } = require('node:fs');

/** Where they really are: a checkout may have any name, and be linked to. */
const devModules = realpathSync(`${__dirname}/dev/node_modules`);

/** @type {import('jest').Config} */
module.exports = {
	roots: ['<rootDir>/test'],
	testSequencer: '<rootDir>/test/support/sequencer.mjs',
	testEnvironment: '<rootDir>/test/support/testEnvironment.ts',
	setupFiles: ['reflect-metadata'],
	transform: {
		// n8n, modules that keep state in the process, and modules that are slow to load.
		'/node_modules/(n8n-core|n8n-workflow|@n8n/[^/]+|axios|reflect-metadata|undici|@cantoo/pdf-lib)/.+\\.c?js$':
			'<rootDir>/test/support/loadedOnce.mjs',
		// What the simulated service is made of, where it runs in the process of the tests.
		[`^${devModules}/.+\\.c?js$`]: '<rootDir>/test/support/loadedOnce.mjs',
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
		],
	},
	// By default, Jest transforms nothing in node_modules.
	transformIgnorePatterns: [],
	// Each worker loads n8n, which takes seconds: on two processors, more workers would be slower.
	maxWorkers: 2,
	// Only what hangs takes so long, however busy the machine is.
	testTimeout: 120_000,
	// Nothing is left open, but on a busy machine a process with n8n in it takes its time to go.
	workerGracefulExitTimeout: 10_000,
};
